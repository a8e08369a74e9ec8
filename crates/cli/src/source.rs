//! Where a story is read from: the database itself, also while a server uses it, or a server by its address.

use crate::args::Reach;
use crate::config::Config;
use crate::output::Failure;
use crate::story::is_there;
use reqwest::{StatusCode, Url};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tavernkeep_api::error::{ErrorBody, ErrorContent};
use tavernkeep_api::floor::Floor;
use tavernkeep_api::history::{Comparison, Log};
use tavernkeep_api::session::{Branch, Session};
use tavernkeep_api::story::{Snapshot, State};
use tavernkeep_api::{Data, List};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::order::{SessionQuery, SessionSort};
use tavernkeep_runtime::record::Window;
use tavernkeep_runtime::{Access, Database, FILE_NAME, Part, Place, Refusal, Runtime, RuntimeError, RuntimeResult};
use tavernkeep_server::wire;

/// Rows of a list that are read at once.
const ROWS_AT_ONCE: i64 = 100;

/// Floors that are read at once: a log of any length needs no more memory than that.
const FLOORS_AT_ONCE: usize = 100;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A part of a list, and whether more follows.
pub type Rows<T> = (Vec<T>, bool);

pub enum Source {
    Database(Runtime, Id),
    Server(Remote),
}

impl Source {
    pub async fn open(config: &Config, reach: Reach) -> Result<Source, Failure> {
        let Reach { account, url, key } = reach;
        match url {
            Some(url) => Remote::new(&url, key).map(Source::Server),
            None => Ok(Source::Database(open(config).await?, account)),
        }
    }

    pub async fn close(self) {
        if let Source::Database(runtime, _) = self {
            runtime.close().await;
        }
    }

    pub async fn sessions(&self, offset: i64) -> Result<Rows<Session>, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let window = Window { limit: ROWS_AT_ONCE, offset, ascending: false, total: false };
                let query = SessionQuery { chat_file: None, sort: SessionSort::UpdatedAt, window };
                let listed = runtime.sessions(account, query).await?;
                let sessions = listed.items.into_iter().map(wire::session).collect::<Result<_, _>>();
                Ok((sessions.map_err(unshowable)?, listed.has_more))
            }
            Source::Server(remote) => remote.list(&["sessions"], offset).await,
        }
    }

    pub async fn branches(&self, session: &Id, offset: i64) -> Result<Rows<Branch>, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let window = Window { limit: ROWS_AT_ONCE, offset, ascending: true, total: false };
                let listed = runtime.branches(account, session, window).await?;
                Ok((listed.items.into_iter().map(wire::branch).collect(), listed.has_more))
            }
            Source::Server(remote) => remote.list(&["sessions", session.as_str(), "branches"], offset).await,
        }
    }

    /// The next floors of a log; all of it, or of the last so many floors.
    pub async fn log(&self, part: &Part, last: Option<i64>) -> Result<Log, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let part = match last {
                    Some(last) => runtime.last_floors(account, part.clone(), last).await?,
                    None => part.clone(),
                };
                let (lines, has_more) = runtime.log(account, part, FLOORS_AT_ONCE).await?;
                wire::log(lines, has_more).map_err(unshowable)
            }
            Source::Server(remote) => {
                let Part { session, branch, from_floor, to_floor, after } = part;
                let number = |number: &Option<i64>| number.map(|number| number.to_string());
                let query = [
                    ("branch_id", Some(branch.clone())),
                    ("from_floor", number(from_floor)),
                    ("to_floor", number(to_floor)),
                    ("last", number(&last)),
                    ("after", after.as_ref().map(ToString::to_string)),
                    ("limit", Some(FLOORS_AT_ONCE.to_string())),
                ];
                remote.get(&["sessions", session.as_str(), "log"], &query).await
            }
        }
    }

    pub async fn state(&self, place: Place) -> Result<State, Failure> {
        match self {
            Source::Database(runtime, account) => {
                wire::state(runtime.state_at(account, place).await?).map_err(unshowable)
            }
            Source::Server(remote) => remote.state(place).await,
        }
    }

    pub async fn state_at_floor(&self, session: &Id, branch: &str, floor_no: i64) -> Result<State, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let state = runtime.state_at_floor(account, session, Some(branch), floor_no).await?;
                wire::state(state).map_err(unshowable)
            }
            Source::Server(remote) => remote.state_of(session.as_str(), branch, Some(floor_no)).await,
        }
    }

    pub async fn compare(&self, from: Place, to: Place) -> Result<Comparison, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let comparison = runtime.compare(account, from, to).await?;
                wire::comparison(&comparison).map_err(unshowable)
            }
            Source::Server(remote) => {
                remote.get(&["compare"], &[("from", Some(written(&from))), ("to", Some(written(&to)))]).await
            }
        }
    }

    /// What has an id: a session first, then a page, a snapshot, a floor.
    pub async fn find(&self, id: Id) -> Result<Place, Failure> {
        let main = Place::Branch(id.clone(), tavernkeep_runtime::MAIN_BRANCH.to_owned());
        for place in [main, Place::Page(id.clone()), Place::Snapshot(id.clone()), Place::Floor(id.clone())] {
            if self.has(&place).await? {
                return Ok(place);
            }
        }
        let where_ = match self {
            Source::Database(_, account) => format!("in account {account}"),
            Source::Server(remote) => format!("at {}", remote.base),
        };
        Err(Failure::refused(format_args!("there is no session, page, snapshot or floor `{id}` {where_}")))
    }

    async fn has(&self, place: &Place) -> Result<bool, Failure> {
        match (self, place) {
            (Source::Database(runtime, account), Place::Branch(id, _)) => exists(runtime.session(account, id).await),
            (Source::Database(runtime, account), Place::Page(id)) => exists(runtime.page(account, id).await),
            (Source::Database(runtime, account), Place::Snapshot(id)) => exists(runtime.snapshot(account, id).await),
            (Source::Database(runtime, account), Place::Floor(id)) => exists(runtime.floor(account, id).await),
            (Source::Server(remote), Place::Branch(id, _)) => remote.has("sessions", id).await,
            (Source::Server(remote), Place::Page(id)) => remote.has("pages", id).await,
            (Source::Server(remote), Place::Snapshot(id)) => remote.has("snapshots", id).await,
            (Source::Server(remote), Place::Floor(id)) => remote.has("floors", id).await,
        }
    }
}

/// Opens the configured database beside a server that may use it.
pub async fn open(config: &Config) -> Result<Runtime, Failure> {
    if let Database::Sqlite(folder) = config.database()
        && !is_there(&folder.join(FILE_NAME))?
    {
        let message = format!("there is no database in {}; --data names another folder", folder.display());
        return Err(Failure::refused(message));
    }
    Ok(Runtime::open(config.options(Access::Visit)?).await?)
}

fn exists<T>(found: RuntimeResult<T>) -> Result<bool, Failure> {
    use Refusal::{FloorNotFound, PageNotFound, SessionNotFound, SnapshotNotFound};
    match found {
        Ok(_) => Ok(true),
        Err(RuntimeError::Refused(SessionNotFound(_) | PageNotFound(_) | SnapshotNotFound(_) | FloorNotFound(_))) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

fn unshowable(error: ErrorContent) -> Failure {
    Failure::defect(error.message)
}

fn written(place: &Place) -> String {
    match place {
        Place::Page(id) => format!("page:{id}"),
        Place::Floor(id) => format!("floor:{id}"),
        Place::Snapshot(id) => format!("snapshot:{id}"),
        Place::Branch(session, branch) => format!("branch:{session}/{branch}"),
    }
}

/// A server elsewhere.
pub struct Remote {
    client: reqwest::Client,
    base: Url,
    key: Option<String>,
}

impl Remote {
    fn new(url: &str, key: Option<String>) -> Result<Remote, Failure> {
        let base: Url = url.parse().map_err(|error| Failure::usage(format_args!("--url: `{url}`: {error}")))?;
        if base.scheme() != "http" {
            let message =
                format!("--url: `{url}` must begin with http://; reach a server behind https through a tunnel");
            return Err(Failure::usage(message));
        }
        let client = reqwest::Client::builder().timeout(PATIENCE).build().map_err(Failure::defect)?;
        Ok(Remote { client, base, key })
    }

    async fn ask(&self, path: &[&str], query: &[(&str, Option<String>)]) -> Result<(StatusCode, Vec<u8>), Failure> {
        let mut url = self.base.clone();
        // An address with http:// always has a path.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let given = query.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        url.query_pairs_mut().extend_pairs(given);
        let mut request = self.client.get(url);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let unreachable = |error: reqwest::Error| {
            let error = error.without_url();
            let cause = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            Failure::refused(format_args!("{} does not answer: {cause}", self.base))
        };
        let response = request.send().await.map_err(unreachable)?;
        Ok((response.status(), response.bytes().await.map_err(unreachable)?.to_vec()))
    }

    /// A whole body.
    async fn body<T: DeserializeOwned>(&self, path: &[&str], query: &[(&str, Option<String>)]) -> Result<T, Failure> {
        let (status, body) = self.ask(path, query).await?;
        if !status.is_success() {
            return Err(self.refusal(status, &body));
        }
        serde_json::from_slice(&body).map_err(|error| {
            Failure::refused(format_args!("{} answers something else than this program expects: {error}", self.base))
        })
    }

    async fn get<T: DeserializeOwned>(&self, path: &[&str], query: &[(&str, Option<String>)]) -> Result<T, Failure> {
        self.body::<Data<T>>(path, query).await.map(|body| body.data)
    }

    async fn list<T: DeserializeOwned>(&self, path: &[&str], offset: i64) -> Result<Rows<T>, Failure> {
        let window =
            [("limit", ROWS_AT_ONCE), ("offset", offset)].map(|(name, number)| (name, Some(number.to_string())));
        let List { data, meta } = self.body(path, &window).await?;
        Ok((data, meta.has_more))
    }

    async fn has(&self, kind: &str, id: &Id) -> Result<bool, Failure> {
        match self.ask(&[kind, id.as_str()], &[]).await? {
            (StatusCode::NOT_FOUND, _) => Ok(false),
            (status, _) if status.is_success() => Ok(true),
            (status, body) => Err(self.refusal(status, &body)),
        }
    }

    fn refusal(&self, status: StatusCode, body: &[u8]) -> Failure {
        match serde_json::from_slice::<ErrorBody>(body) {
            Ok(body) if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => Failure::refused(
                format_args!("{}: {}; --key or TAVERNKEEP_KEY names one", self.base, body.error.message),
            ),
            Ok(body) => Failure::refused(body.error.message),
            Err(_) => Failure::refused(format_args!("{} answers {status}; is it a Tavernkeep server?", self.base)),
        }
    }

    async fn state_of(&self, session: &str, branch: &str, floor_no: Option<i64>) -> Result<State, Failure> {
        let query = [("branch_id", Some(branch.to_owned())), ("floor_no", floor_no.map(|number| number.to_string()))];
        self.get(&["sessions", session, "state"], &query).await
    }

    async fn state(&self, place: Place) -> Result<State, Failure> {
        match place {
            Place::Page(id) => self.get(&["pages", id.as_str(), "state"], &[]).await,
            Place::Branch(session, branch) => self.state_of(session.as_str(), &branch, None).await,
            Place::Floor(id) => {
                let floor: Floor = self.get(&["floors", id.as_str()], &[]).await?;
                self.state_of(&floor.session_id, &floor.branch_id, Some(floor.floor_no)).await
            }
            Place::Snapshot(id) => {
                let Snapshot { page_id, state, edited, .. } = self.get(&["snapshots", id.as_str()], &[]).await?;
                if let Some(page) = &page_id {
                    let of_page: State = self.get(&["pages", page, "state"], &[]).await?;
                    if of_page.snapshot_id.as_deref() == Some(id.as_str()) {
                        return Ok(of_page);
                    }
                }
                let (snapshot_id, stale_reason) = (Some(id.to_string()), None);
                let (floor_id, fresh, outdated, inherited) = (None, true, false, false);
                Ok(State { snapshot_id, page_id, floor_id, state, fresh, stale_reason, outdated, edited, inherited })
            }
        }
    }
}
