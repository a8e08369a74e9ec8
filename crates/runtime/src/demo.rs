//! A small conversation to look at on the first start.

use crate::order::{FloorStep, NewFloor, NewPage, NewSession, SessionQuery, SessionSort, Write};
use crate::record::{Condition, Host, Target, Window};
use crate::{Runtime, RuntimeError, RuntimeResult};
use tavernkeep_engine::floor::PageKind;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;

const SESSION: &str = "demo";

/// What is said on the three floors; the second has a swipe.
const FLOORS: &[(&str, &str, &[&str])] = &[
    ("assistant", "Innkeeper", &["Rain drums on the roof of the Gilded Flagon. \"A room, or a story?\""]),
    ("user", "You", &["A room. And news of the road north."]),
    (
        "assistant",
        "Innkeeper",
        &[
            "\"Bandits at the ford. Ten silver buys you the safe path.\"",
            "She slides a key across. \"Ask me at dawn.\"",
        ],
    ),
];

impl Runtime {
    /// Fills an empty default account with a small conversation. False if there was something already.
    pub async fn seed_demo(&self) -> RuntimeResult<bool> {
        let account = Runtime::default_account();
        let window = Window { limit: 1, offset: 0, ascending: true, total: false };
        let query = SessionQuery { chat_file: None, sort: SessionSort::CreatedAt, window };
        if !self.sessions(&account, query).await?.items.is_empty() {
            return Ok(false);
        }
        let session = constant(SESSION)?;
        let new =
            NewSession { id: Some(session.clone()), title: Some("The Gilded Flagon".into()), ..NewSession::default() };
        self.create_session(&account, new).await?;
        let mut last = None;
        for (role, name, texts) in FLOORS {
            last = Some(self.seed_floor(&account, &session, role, name, texts).await?);
        }
        let main = || Host::Branch(session.clone(), "main".into());
        let mut variables = vec![
            (Host::Global, "theme", "\"night\""),
            (Host::Chat(session.clone()), "mood", "\"calm\""),
            (main(), "gold", "500"),
            (main(), "背包", r#"{"药水":2,"items":["rope","lantern"]}"#),
        ];
        variables.extend(last.map(|page| (Host::Page(page), "mood", "\"wary\"")));
        let writes = variables.into_iter().map(|(host, key, value)| write(host, key, value));
        self.put_variables(&account, writes.collect::<RuntimeResult<_>>()?).await?;
        Ok(true)
    }

    /// Writes one floor; the last one stays a draft so that its page can hold variables. Returns the active page.
    async fn seed_floor(
        &self,
        account: &Id,
        session: &Id,
        role: &str,
        name: &str,
        texts: &[&str],
    ) -> RuntimeResult<Id> {
        let swiped = texts.len() > 1;
        let new = NewFloor::of(session.clone());
        let floor = self.create_floor(account, new).await?;
        let mut page_id = floor.id.clone();
        for text in texts {
            let page = NewPage {
                kind: if role == "user" { PageKind::Input } else { PageKind::Output },
                role: Some(role.into()),
                name: Some(name.into()),
                content: Some((*text).into()),
                ..NewPage::of(floor.id.clone())
            };
            page_id = self.create_page(account, page).await?.id;
        }
        if !swiped {
            self.move_floor(account, &floor.id, FloorStep::Generate { lease_ms: None, renew: false }).await?;
            self.move_floor(account, &floor.id, FloorStep::Commit { page: None }).await?;
        }
        Ok(page_id)
    }
}

fn constant(id: &str) -> RuntimeResult<Id> {
    id.parse().map_err(|_| RuntimeError::Bug(format!("{id} is no id")))
}

fn write(host: Host, key: &str, value: &str) -> RuntimeResult<Write> {
    let broken = || RuntimeError::Bug(format!("the demo's {key} is broken"));
    Ok(Write {
        target: Target { host, key: key.parse().map_err(|_| broken())? },
        value: JsonText::parse(value.as_bytes()).map_err(|_| broken())?,
        condition: Condition::None,
    })
}
