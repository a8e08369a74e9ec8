//! Where a story is read from: the database itself, also while a server uses it, or a server by its address.

use crate::args::Reach;
use crate::config::Config;
use crate::library::with_places;
use crate::output::Failure;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, StatusCode, Url};
use serde::de::DeserializeOwned;
use std::path::Path;
use std::time::Duration;
use tavernkeep_api::error::{ErrorBody, ErrorContent};
use tavernkeep_api::floor::Floor;
use tavernkeep_api::history::{Comparison, Log};
use tavernkeep_api::prompt::{PromptKit, RenderedPrompt};
use tavernkeep_api::session::{Branch, Session};
use tavernkeep_api::story::{Snapshot, State};
use tavernkeep_api::{Data, List};
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::order::{SessionQuery, SessionSort};
use tavernkeep_runtime::record::Window;
use tavernkeep_runtime::{
    Access, Database, FloorRange, KitOrder, PromptOrder, PromptQuery, Refusal, Runtime, RuntimeError, RuntimeResult,
    StateAddress,
};
use tavernkeep_server::wire;

/// Rows of a list that are read at once.
const ROWS_AT_ONCE: i64 = 100;

/// Floors that are read at once: a log of any length needs no more memory than that.
const FLOORS_AT_ONCE: usize = 100;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a terminal may process before a job goes on with it.
const PATIENCE_AT_HOME: Duration = Duration::from_secs(3_600);

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

    /// The same for an import, which may take as long as it takes and may be the first thing that is done with a data folder. If it is
    /// only tried there, it is tried in `instead`, an empty folder.
    pub async fn open_for_import(config: &Config, reach: Reach, instead: Option<&Path>) -> Result<Source, Failure> {
        let Reach { account, url, key } = reach;
        if let Some(url) = url {
            return Remote::new(&url, key).map(Source::Server);
        }
        let mut options = config.options(Access::Visit)?;
        options.process_time = PATIENCE_AT_HOME;
        if let Some(folder) = instead
            && matches!(options.database, Database::Sqlite(_))
            && !Runtime::is_there(&options.database).await?
        {
            options.database = Database::Sqlite(folder.to_owned());
        }
        Ok(Source::Database(Runtime::open(options).await?, account))
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
    pub async fn log(&self, part: &FloorRange, last: Option<i64>) -> Result<Log, Failure> {
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
                let FloorRange { session, branch, from_floor, to_floor, after } = part;
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

    pub async fn state(&self, place: StateAddress) -> Result<State, Failure> {
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

    /// A prompt, previewed or rendered for its page; `roles` are those of its messages, if it is not one text.
    pub async fn prompt(
        &self,
        order: PromptOrder,
        roles: Option<Vec<String>>,
        stage: bool,
    ) -> Result<RenderedPrompt, Failure> {
        match self {
            Source::Database(runtime, account) => {
                let rendered = match stage {
                    true => runtime.render_prompt(account, order).await?,
                    false => runtime.preview_prompt(account, order).await?,
                };
                wire::prompt(rendered, roles).map_err(unshowable)
            }
            Source::Server(remote) => {
                let PromptQuery { session, branch, source_floor, page } = order.place;
                let id = |id: Option<Id>| id.map(|id| id.to_string());
                let (text, messages) = match roles {
                    None => (Some(serde_json::Value::from(order.messages.concat())), None),
                    Some(roles) => {
                        let messages = roles.into_iter().zip(order.messages);
                        let message = |(role, content)| serde_json::json!({"role": role, "content": content});
                        (None, Some(messages.map(message).collect()))
                    }
                };
                let fields = [
                    ("text", text),
                    ("messages", messages),
                    ("branch_id", branch.map(serde_json::Value::from)),
                    ("source_floor_id", id(source_floor).map(serde_json::Value::from)),
                    ("page_id", id(page).map(serde_json::Value::from)),
                    ("user", order.user.map(serde_json::Value::from)),
                    ("char", order.character.map(serde_json::Value::from)),
                    ("seed", order.seed.map(serde_json::Value::from)),
                    ("now", order.now_ms.map(serde_json::Value::from)),
                ];
                let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
                let body = serde_json::Value::Object(given.collect());
                let last = if stage { "render" } else { "preview" };
                let path = ["sessions", session.as_str(), "prompt-runtime", last];
                remote.send(Method::POST, &path, &[], body.to_string().into_bytes()).await
            }
        }
    }

    /// What a model needs to know before it writes.
    pub async fn kit(&self, session: &Id, order: KitOrder) -> Result<PromptKit, Failure> {
        match self {
            Source::Database(runtime, account) => {
                Ok(wire::prompt_kit(session, runtime.prompt_kit(account, session, order).await?))
            }
            Source::Server(remote) => {
                let since = order.since.map(|number| number.to_string());
                let query = [("branch_id", order.branch), ("view", order.view), ("changed_since", since)];
                remote.get(&["sessions", session.as_str(), "prompt-kit"], &query).await
            }
        }
    }

    pub async fn compare(&self, from: StateAddress, to: StateAddress) -> Result<Comparison, Failure> {
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
    pub async fn find(&self, id: Id) -> Result<StateAddress, Failure> {
        let main = StateAddress::Branch(id.clone(), tavernkeep_runtime::MAIN_BRANCH.to_owned());
        for place in
            [main, StateAddress::Page(id.clone()), StateAddress::Snapshot(id.clone()), StateAddress::Floor(id.clone())]
        {
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

    async fn has(&self, place: &StateAddress) -> Result<bool, Failure> {
        match (self, place) {
            (Source::Database(runtime, account), StateAddress::Branch(id, _)) => {
                exists(runtime.session(account, id).await)
            }
            (Source::Database(runtime, account), StateAddress::Page(id)) => exists(runtime.page(account, id).await),
            (Source::Database(runtime, account), StateAddress::Snapshot(id)) => {
                exists(runtime.snapshot(account, id).await)
            }
            (Source::Database(runtime, account), StateAddress::Floor(id)) => exists(runtime.floor(account, id).await),
            (Source::Server(remote), StateAddress::Branch(id, _)) => remote.has("sessions", id).await,
            (Source::Server(remote), StateAddress::Page(id)) => remote.has("pages", id).await,
            (Source::Server(remote), StateAddress::Snapshot(id)) => remote.has("snapshots", id).await,
            (Source::Server(remote), StateAddress::Floor(id)) => remote.has("floors", id).await,
        }
    }
}

/// Opens the configured database beside a server that may use it.
pub async fn open(config: &Config) -> Result<Runtime, Failure> {
    require_database(config).await?;
    let mut options = config.options(Access::Visit)?;
    options.tool_options.wait = crate::tools::WAIT;
    Ok(Runtime::open(options).await?)
}

/// Refuses to read where there is no database, since opening it would make one.
pub async fn require_database(config: &Config) -> Result<(), Failure> {
    let database = config.database();
    if Runtime::is_there(&database).await? {
        return Ok(());
    }
    Err(Failure::refused(match database {
        Database::Sqlite(folder) => format!("there is no database in {}; --data names another folder", folder.display()),
        Database::Postgres(_) => {
            "there are no tables of Tavernkeep in this PostgreSQL database; `tavernkeep serve` makes them, or --database-url \
             names another one"
                .to_owned()
        }
    }))
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

fn written(place: &StateAddress) -> String {
    match place {
        StateAddress::Page(id) => format!("page:{id}"),
        StateAddress::Floor(id) => format!("floor:{id}"),
        StateAddress::Snapshot(id) => format!("snapshot:{id}"),
        StateAddress::Branch(session, branch) => format!("branch:{session}/{branch}"),
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
        if !matches!(base.scheme(), "http" | "https") {
            return Err(Failure::usage(format_args!("--url: `{url}` must begin with http:// or https://")));
        }
        let client = tavernkeep_runtime::https::client().timeout(PATIENCE).build().map_err(Failure::defect)?;
        Ok(Remote { client, base, key })
    }

    async fn ask(&self, path: &[&str], query: &[(&str, Option<String>)]) -> Result<(StatusCode, Vec<u8>), Failure> {
        self.request(Method::GET, path, query, None).await
    }

    async fn request(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, Option<String>)],
        body: Option<(&str, Vec<u8>)>,
    ) -> Result<(StatusCode, Vec<u8>), Failure> {
        let mut url = self.base.clone();
        // An address with http:// or https:// always has a path.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let given = query.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        url.query_pairs_mut().extend_pairs(given);
        let mut request = self.client.request(method, url);
        if let Some((kind, body)) = body {
            request = request.header(CONTENT_TYPE, kind).body(body);
        }
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let unreachable = |error: reqwest::Error| {
            let error = error.without_url();
            // The last cause says it plainly, as "Connection refused".
            let first: &dyn std::error::Error = &error;
            let cause = std::iter::successors(Some(first), |error| error.source()).last().unwrap_or(first);
            Failure::refused(format_args!("{} does not answer: {cause}", self.base))
        };
        let response = request.send().await.map_err(unreachable)?;
        Ok((response.status(), response.bytes().await.map_err(unreachable)?.to_vec()))
    }

    /// Sends JSON and reads what comes back.
    pub async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, Option<String>)],
        body: Vec<u8>,
    ) -> Result<T, Failure> {
        self.send_as("application/json", method, path, query, body).await
    }

    /// Sends any bytes and reads what comes back.
    pub async fn send_as<T: DeserializeOwned>(
        &self,
        kind: &str,
        method: Method,
        path: &[&str],
        query: &[(&str, Option<String>)],
        body: Vec<u8>,
    ) -> Result<T, Failure> {
        let (status, body) = self.request(method, path, query, Some((kind, body))).await?;
        self.read::<Data<T>>(status, &body).map(|body| body.data)
    }

    /// A file.
    pub async fn file(&self, path: &[&str], query: &[(&str, Option<String>)]) -> Result<Vec<u8>, Failure> {
        let (status, body) = self.ask(path, query).await?;
        if status.is_success() { Ok(body) } else { Err(self.refusal(status, &body)) }
    }

    /// A whole body.
    async fn body<T: DeserializeOwned>(&self, path: &[&str], query: &[(&str, Option<String>)]) -> Result<T, Failure> {
        let (status, body) = self.ask(path, query).await?;
        self.read(status, &body)
    }

    fn read<T: DeserializeOwned>(&self, status: StatusCode, body: &[u8]) -> Result<T, Failure> {
        if !status.is_success() {
            return Err(self.refusal(status, body));
        }
        serde_json::from_slice(body).map_err(|error| {
            Failure::refused(format_args!("{} answers something else than this program expects: {error}", self.base))
        })
    }

    /// Reads or writes something with a JSON body, and returns what is below `data`.
    pub async fn exchange(
        &self,
        method: &str,
        path: &[&str],
        body: Option<String>,
    ) -> Result<serde_json::Value, Failure> {
        let method = Method::from_bytes(method.as_bytes()).map_err(Failure::defect)?;
        let (status, body) =
            self.request(method, path, &[], body.map(|body| ("application/json", body.into_bytes()))).await?;
        self.read::<Data<serde_json::Value>>(status, &body).map(|body| body.data)
    }

    pub async fn get<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, Option<String>)],
    ) -> Result<T, Failure> {
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
            Ok(body) if status == StatusCode::BAD_REQUEST => Failure::usage(with_places(&body.error)),
            Ok(body) => Failure::refused(body.error.message),
            Err(_) => Failure::refused(format_args!("{} answers {status}; is it a Tavernkeep server?", self.base)),
        }
    }

    async fn state_of(&self, session: &str, branch: &str, floor_no: Option<i64>) -> Result<State, Failure> {
        let query = [("branch_id", Some(branch.to_owned())), ("floor_no", floor_no.map(|number| number.to_string()))];
        self.get(&["sessions", session, "state"], &query).await
    }

    async fn state(&self, place: StateAddress) -> Result<State, Failure> {
        match place {
            StateAddress::Page(id) => self.get(&["pages", id.as_str(), "state"], &[]).await,
            StateAddress::Branch(session, branch) => self.state_of(session.as_str(), &branch, None).await,
            StateAddress::Floor(id) => {
                let floor: Floor = self.get(&["floors", id.as_str()], &[]).await?;
                self.state_of(&floor.session_id, &floor.branch_id, Some(floor.floor_no)).await
            }
            StateAddress::Snapshot(id) => {
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
