//! Configuration by file, environment and flags, in that order: the later one wins, and every value knows where it is from.
//!
//! A setting is one row of [`SETTINGS`]. In the file it is `name = value`, in the environment `TAVERNKEEP_NAME`, on the
//! command line a flag of its own or `--set name=value`.

use crate::args::Common;
use crate::output::{Failure, print_line};
use std::collections::HashMap;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::limits::CLIENT_CALL_MS_MAX;
use tavernkeep_engine::nearest::nearest;
use tavernkeep_runtime::tools::groups::web::WebSettings;
use tavernkeep_runtime::tools::groups::{GroupSettings, shipped};
use tavernkeep_runtime::tools::{ReferenceOptions, Registry, ToolOptions};
use tavernkeep_runtime::turn::Scripts;
use tavernkeep_runtime::{Access, Database, Model, Options, Quotas, Retention};
use tavernkeep_server::{AuthMode, Settings};

/// The default configuration file.
const FILE: &str = "tavernkeep.toml";
const PREFIX: &str = "TAVERNKEEP_";
/// Variables with the prefix that are not settings.
const NOT_SETTINGS: &[&str] =
    &["TAVERNKEEP_CONFIG", "TAVERNKEEP_URL", "TAVERNKEEP_KEY", "TAVERNKEEP_SHARED", "TAVERNKEEP_TEST_"];

/// Name, default and meaning of every setting.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("listen", "127.0.0.1:7117", "address to listen on; any address other than loopback requires API keys"),
    ("data", "./data", "folder of the SQLite database"),
    ("database_url", "", "PostgreSQL database to use instead of SQLite, such as postgres://user@host/name"),
    (
        "database_url_file",
        "",
        "file that holds the database_url, so that its password is neither on a command line nor in the environment",
    ),
    ("postgres_connections", "16", "maximum number of connections to PostgreSQL"),
    ("auth", "auto", "auto: no key is required on loopback until one is created; keys: a key is always required"),
    ("allowed_hosts", "", "host names of this server besides loopback, separated by commas"),
    ("allowed_origins", "", "origins of web pages that may call the API (CORS), separated by commas"),
    ("base_path", "", "path prefix of every route, for a reverse proxy"),
    ("trusted_proxies", "", "addresses or networks of proxies whose X-Forwarded-For is trusted, separated by commas"),
    (
        "sessions_max",
        "100000",
        "maximum number of sessions per account; `tavernkeep account quota` overrides it for one account",
    ),
    ("variables_max", "10000000", "maximum number of variables per account"),
    ("keys_max", "1000", "maximum number of valid API keys per account"),
    ("global_snapshots_max", "10000", "maximum number of global snapshots per account"),
    ("events_max_age", "30d", "how long events are kept: 90s, 15m, 12h, 30d, or keep (forever)"),
    ("events_max_count", "100000", "maximum number of events kept per account, or keep (all)"),
    (
        "history_max_age",
        "keep",
        "how long the history of a variable is kept, or keep; rows that clients can still read stay",
    ),
    ("history_max_count", "1000", "maximum number of history rows kept per variable, or keep (all)"),
    (
        "trash_max_age",
        "30d",
        "how long what was deleted can be restored; 0s: not at all; or keep; trash_days = 30 means the same as 30d",
    ),
    ("calls_max_age", "365d", "how long calls of tools stay in the journals of sessions, or keep"),
    ("versions_max_age", "2d", "how long unused versions of states are kept, at least 1d, or keep"),
    ("purge_interval_ms", "300000", "how often expired rows are deleted; 0: never"),
    (
        "process_time_ms",
        "1000",
        "how long a request may process or clean up; a job or the next request continues; 0: at once",
    ),
    (
        "model_url",
        "",
        "OpenAI-compatible address of a model that writes summaries, such as http://127.0.0.1:11434/v1; empty: none",
    ),
    ("model_name", "", "name of that model"),
    ("model_key", "", "key that is sent to that model"),
    ("model_timeout_ms", "50000", "timeout of a request to that model"),
    (
        "tools_roots",
        "",
        "folders that the tool group filesystem may reach, separated by commas; none: the group is not there",
    ),
    ("tools_web", "false", "whether the tool group web is there"),
    ("tools_web_search_url", "", "address of a web search, with {query} where the words belong"),
    ("tools_web_allowed", "", "private addresses with ports that the group web may reach, separated by commas"),
    ("tools_http", "", "files that describe tool groups over HTTP APIs, separated by commas"),
    ("tools_scripts", "", "folder of custom scripts that become tools; none: no scripts"),
    (
        "tools_shell",
        "",
        "folder in which the tool Shell runs commands, each after a person's approval; none: no such tool",
    ),
    ("tools_escapes", "true", "whether $$VAR_REF{{…}} in arguments stands for a literal $VAR_REF{{…}}"),
    ("tools_cache_failures", "false", "whether the errors of failed calls are kept on the scratchpad too"),
    ("siyuan_url", "", "address of a SiYuan kernel for the tool group siyuan; none: the group is not there"),
    ("siyuan_token", "", "API token of that kernel"),
    ("approval_timeout", "24h", "how long a person has to decide about a call; no answer is a rejection"),
    ("client_call_timeout", "24h", "how long an application has to return the result of its tool, at most 24h"),
    ("resolve_cache_bytes", "8388608", "memory for cached responses of resolve; 0: no cache"),
    ("connections_max", "4096", "maximum number of open client connections"),
    ("request_timeout_ms", "60000", "timeout of a request"),
    (
        "write_wait_ms",
        "10000",
        "how much longer a write that has begun is waited for before the answer is write_pending",
    ),
    ("write_timeout_ms", "90000", "how long a client may leave an answer unread"),
    ("bytes_in_flight_max", "268435456", "bytes of request bodies and answers held at the same time"),
    ("header_timeout_ms", "30000", "timeout for the headers of a request"),
    ("shutdown_timeout_ms", "20000", "how long a stopping server waits for running requests"),
    ("listeners_max", "1000", "maximum number of open event streams per account"),
    ("heartbeat_ms", "15000", "how often an idle event stream gets a heartbeat"),
    ("listener_stall_ms", "60000", "how long a client may stop reading its event stream before it is disconnected"),
    ("log_level", "info", "error, warn, info, debug or trace, or a filter such as tavernkeep_store=debug"),
    ("log_format", "auto", "text, json, or auto: text on a terminal"),
    ("log_requests", "true", "whether each request is logged"),
];

/// The same as `trash_max_age`, as a number of days.
const TRASH_DAYS: &str = "trash_days";

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    Default,
    File(PathBuf),
    Environment(String),
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => formatter.write_str("default"),
            Origin::File(path) => write!(formatter, "file {}", path.display()),
            Origin::Environment(name) => write!(formatter, "environment {name}"),
            Origin::Flag => formatter.write_str("flag"),
        }
    }
}

/// Every setting with its value.
#[derive(Debug, Clone)]
pub struct Config {
    /// Parallel to [`SETTINGS`].
    values: Vec<(String, Origin)>,
}

impl Config {
    /// Reads file, environment and flags, and refuses unknown settings.
    pub fn load(common: &Common, environment: &HashMap<String, String>) -> Result<Config, Failure> {
        let values = SETTINGS.iter().map(|(_, default, _)| ((*default).to_owned(), Origin::Default)).collect();
        let mut config = Config { values };
        config.read_file(common.config.as_deref())?;
        let mut from_environment: Vec<_> = environment.iter().filter(|(name, _)| name.starts_with(PREFIX)).collect();
        from_environment.sort();
        for (variable, value) in from_environment {
            let name = variable[PREFIX.len()..].to_lowercase();
            if !NOT_SETTINGS.iter().any(|other| variable.starts_with(other)) {
                config
                    .set(&name, value.clone(), Origin::Environment(variable.clone()))
                    .map_err(|failure| Failure::usage(format!("{variable}: {}", failure.message)))?;
            }
        }
        let flags = [
            ("data", &common.data),
            ("database_url", &common.database_url),
            ("database_url_file", &common.database_url_file),
        ];
        for (name, value) in flags {
            if let Some(value) = value {
                config.set(name, value.clone(), Origin::Flag)?;
            }
        }
        for pair in &common.set {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| Failure::usage(format!("--set wants NAME=VALUE, not {pair:?}")))?;
            config.set(name.trim(), value.to_owned(), Origin::Flag)?;
        }
        config.read_database_url()?;
        config.settings()?;
        config.options(Access::Visit)?;
        Ok(config)
    }

    /// Reads `database_url` from its file, where one is named.
    fn read_database_url(&mut self) -> Result<(), Failure> {
        let path = PathBuf::from(self.get("database_url_file"));
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        if !self.get("database_url").is_empty() {
            return Err(Failure::usage("database_url and database_url_file are both set; leave one of them out"));
        }
        let unreadable = |error| Failure::usage(format!("database_url_file {}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(unreadable)?;
        match text.trim() {
            "" => Err(Failure::usage(format!("database_url_file {} is empty", path.display()))),
            url => self.set("database_url", url.to_owned(), Origin::File(path.clone())),
        }
    }

    /// Whether a password is on the command line, where every user of the machine can read it.
    pub fn shows_password(&self) -> bool {
        let place = SETTINGS.iter().position(|(name, ..)| *name == "database_url");
        let Some((url, Origin::Flag)) = place.and_then(|place| self.values.get(place)) else { return false };
        shown("database_url", url) != *url
    }

    fn read_file(&mut self, named: Option<&Path>) -> Result<(), Failure> {
        let path = named.unwrap_or(Path::new(FILE));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => return Ok(()),
            Err(error) => return Err(Failure::usage(format!("{}: {error}", path.display()))),
        };
        let unreadable = |error: toml::de::Error| Failure::usage(format!("{}: {error}", path.display()));
        let table: toml::Table = toml::from_str(&text).map_err(unreadable)?;
        for (name, value) in &table {
            let value = file_value(value).ok_or_else(|| {
                Failure::usage(format!("{}: {name} wants a text, a number, true, false or a list", path.display()))
            })?;
            self.set(name, value, Origin::File(path.to_owned()))
                .map_err(|failure| Failure::usage(format!("{}: {}", path.display(), failure.message)))?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: String, origin: Origin) -> Result<(), Failure> {
        if name == TRASH_DAYS {
            let days: u32 = value.trim().parse().map_err(|error| {
                Failure::usage(format!("{TRASH_DAYS} = {value:?} ({origin}) is not a number of days: {error}"))
            })?;
            return self.set("trash_max_age", format!("{days}d"), origin);
        }
        let place = place(name).ok_or_else(|| unknown(name))?;
        self.values[place] = (value, origin);
        Ok(())
    }

    /// Takes over the one flag that only `serve` has.
    pub fn with_listen(mut self, listen: Option<&str>) -> Result<Config, Failure> {
        if let Some(listen) = listen {
            self.set("listen", listen.to_owned(), Origin::Flag)?;
        }
        Ok(self)
    }

    pub fn get(&self, name: &str) -> &str {
        place(name).map_or("", |place| self.values[place].0.as_str())
    }

    /// A setting that is a value of its own.
    pub fn parse<T: FromStr>(&self, name: &str, wanted: &str) -> Result<T, Failure>
    where
        T::Err: fmt::Display,
    {
        self.get(name).trim().parse().map_err(|error| self.invalid(name, wanted, error))
    }

    fn list<T: FromStr>(&self, name: &str, wanted: &str) -> Result<Vec<T>, Failure>
    where
        T::Err: fmt::Display,
    {
        let parts = self.get(name).split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| part.parse().map_err(|error| self.invalid(name, wanted, error))).collect()
    }

    fn invalid(&self, name: &str, wanted: &str, error: impl fmt::Display) -> Failure {
        let origin = place(name).map_or(&Origin::Default, |place| &self.values[place].1);
        Failure::usage(format!("{name} = {:?} ({origin}) is not {wanted}: {error}", self.get(name)))
    }

    /// A number that makes no sense as 0.
    fn positive(&self, name: &str) -> Result<usize, Failure> {
        self.parse::<NonZeroUsize>(name, "a number above 0").map(NonZeroUsize::get)
    }

    fn millis(&self, name: &str) -> Result<Duration, Failure> {
        self.parse::<NonZeroU64>(name, "a number of milliseconds above 0").map(|span| Duration::from_millis(span.get()))
    }

    /// The server's settings.
    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(Settings {
            listen: self.parse("listen", "an address of numbers such as 127.0.0.1:7117 or [::1]:7117")?,
            auth: match self.get("auth") {
                "auto" => AuthMode::Auto,
                "keys" => AuthMode::Keys,
                _ => return Err(self.invalid("auth", "auto or keys", "choose one of them")),
            },
            allowed_hosts: self.list("allowed_hosts", "a list of names")?,
            allowed_origins: self.list("allowed_origins", "a list of origins")?,
            base_path: self.get("base_path").to_owned(),
            trusted_proxies: self.list("trusted_proxies", "a list of networks")?,
            resolve_cache_bytes: self.parse("resolve_cache_bytes", "a number of bytes")?,
            request_timeout: self.millis("request_timeout_ms")?,
            write_wait: self.millis("write_wait_ms")?,
            write_timeout: self.millis("write_timeout_ms")?,
            bytes_in_flight_max: self.parse::<NonZeroU64>("bytes_in_flight_max", "a number of bytes above 0")?.get(),
            header_timeout: self.millis("header_timeout_ms")?,
            shutdown_timeout: self.millis("shutdown_timeout_ms")?,
            connections_max: self.positive("connections_max")?,
            listeners_max: self.positive("listeners_max")?,
            heartbeat: self.millis("heartbeat_ms")?,
            listener_stall: self.millis("listener_stall_ms")?,
            purge_interval: self.millis("purge_interval_ms")?,
            ..Settings::default()
        })
    }

    /// Where the data lives.
    pub fn database(&self) -> Database {
        match self.get("database_url") {
            "" => Database::Sqlite(self.get("data").into()),
            url => Database::Postgres(url.to_owned()),
        }
    }

    /// How the runtime is opened.
    pub fn options(&self, access: Access) -> Result<Options, Failure> {
        let postgres_connections = self.positive("postgres_connections")?;
        let (quotas, retention) = (self.quotas()?, self.retention()?);
        let process_ms = self.parse("process_time_ms", "a number of milliseconds")?;
        let process_time = Duration::from_millis(process_ms);
        let model = self.model()?;
        let options = Options::new(self.database());
        let (tools, tool_options) = (self.tools()?, self.tool_options()?);
        Ok(Options {
            access,
            postgres_connections,
            quotas,
            retention,
            process_time,
            scripts: scripts(),
            model,
            tools,
            tool_options,
            ..options
        })
    }

    fn model(&self) -> Result<Option<Model>, Failure> {
        let url = self.get("model_url").trim().to_owned();
        let timeout = self.millis("model_timeout_ms")?;
        if url.is_empty() {
            return Ok(None);
        }
        if !url.starts_with("http://") {
            return Err(self.invalid(
                "model_url",
                "an address that begins with http://",
                "put a proxy in front of others",
            ));
        }
        let (name, key) = (self.get("model_name").to_owned(), self.get("model_key").to_owned());
        Ok(Some(Model { url, name, key, timeout }))
    }

    /// The groups of tools that are there.
    fn tools(&self) -> Result<Registry, Failure> {
        let web = match self.parse::<bool>("tools_web", "true or false")? {
            true => Some(WebSettings {
                search_url: Some(self.get("tools_web_search_url").to_owned()).filter(|url| !url.is_empty()),
                allowed: self.list("tools_web_allowed", "a list of addresses such as 10.0.0.1:80")?,
                ..WebSettings::default()
            }),
            false => None,
        };
        let folder = |name| Some(self.get(name)).filter(|value| !value.is_empty());
        let settings = GroupSettings {
            roots: self.list("tools_roots", "a list of folders")?,
            web,
            http_files: self.list("tools_http", "a list of files")?,
            siyuan: folder("siyuan_url").map(|url| (url.to_owned(), self.get("siyuan_token").to_owned())),
            scripts: folder("tools_scripts").map(PathBuf::from),
            shell: folder("tools_shell").map(PathBuf::from),
        };
        shipped(&settings).map_err(|error| Failure::usage(format_args!("tools: {error}")))
    }

    fn tool_options(&self) -> Result<ToolOptions, Failure> {
        let kept: Kept = self.parse("approval_timeout", "a time such as 15m, 12h or 30d")?;
        let approval_ms = kept.age_ms.unwrap_or(i64::MAX / 4);
        let client: Kept = self.parse("client_call_timeout", "a time such as 15m or 12h")?;
        let client_ms = client.age_ms.unwrap_or(CLIENT_CALL_MS_MAX).min(CLIENT_CALL_MS_MAX);
        let escapes = self.parse("tools_escapes", "true or false")?;
        let cache_failures = self.parse("tools_cache_failures", "true or false")?;
        let references = ReferenceOptions { escapes, ..ReferenceOptions::default() };
        Ok(ToolOptions { references, approval_ms, client_ms, cache_failures, ..ToolOptions::default() })
    }

    fn retention(&self) -> Result<Retention, Failure> {
        let age =
            |name| self.parse::<Kept>(name, "a time such as 90s, 15m, 12h or 30d, or keep").map(|kept| kept.age_ms);
        let count = |name| match self.get(name) {
            "keep" => Ok(None),
            _ => self.parse::<u32>(name, "a number, or keep").map(|count| Some(i64::from(count))),
        };
        Ok(Retention {
            events_age_ms: age("events_max_age")?,
            events_count: count("events_max_count")?,
            history_age_ms: age("history_max_age")?,
            history_count: count("history_max_count")?,
            versions_age_ms: self.versions_age()?,
            trash_age_ms: age("trash_max_age")?,
            calls_age_ms: age("calls_max_age")?,
        })
    }

    /// Turns are repeated for a day, and a turn that is repeated is answered from what it was made of.
    fn versions_age(&self) -> Result<Option<i64>, Failure> {
        let name = "versions_max_age";
        let kept: Kept = self.parse(name, "a time such as 36h or 2d, or keep")?;
        match kept.age_ms {
            Some(age_ms) if age_ms < 86_400_000 => {
                Err(self.invalid(name, "a day or more", "turns can be repeated that long"))
            }
            age_ms => Ok(age_ms),
        }
    }

    fn quotas(&self) -> Result<Quotas, Failure> {
        let count = |name| self.parse::<u32>(name, "a number").map(i64::from);
        Ok(Quotas {
            sessions: count("sessions_max")?,
            variables: count("variables_max")?,
            keys: count("keys_max")?,
            global_snapshots: count("global_snapshots_max")?,
        })
    }

    /// Prints every setting, its value and where that is from.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        let rows = SETTINGS
            .iter()
            .zip(&self.values)
            .map(|((name, _, help), (value, origin))| (name, shown(name, value), origin.to_string(), help));
        if json {
            let object: serde_json::Map<_, _> = rows
                .map(|(name, value, origin, _)| {
                    ((*name).to_owned(), serde_json::json!({"value": value, "origin": origin}))
                })
                .collect();
            return print_line(&serde_json::Value::Object(object).to_string());
        }
        for (name, value, origin, help) in rows {
            print_line(&format!("# {help}\n{name} = {value:?}  # {origin}"))?;
        }
        Ok(())
    }
}

/// How long something is kept; none for ever.
struct Kept {
    age_ms: Option<i64>,
}

impl FromStr for Kept {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "keep" {
            return Ok(Kept { age_ms: None });
        }
        let split = text.find(|character: char| !character.is_ascii_digit()).ok_or("the unit is missing")?;
        let (number, unit) = text.split_at(split);
        let unit_ms = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err("units are ms, s, m, h and d"),
        };
        let number: u32 = number.parse().map_err(|_| "the number is missing or too large")?;
        Ok(Kept { age_ms: Some(i64::from(number) * unit_ms) })
    }
}

fn place(name: &str) -> Option<usize> {
    SETTINGS.iter().position(|(known, ..)| *known == name)
}

/// Lists are written with commas; a value of the file may be a real list.
fn file_value(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(flag) => Some(flag.to_string()),
        toml::Value::Array(items) => Some(items.iter().map(file_value).collect::<Option<Vec<_>>>()?.join(",")),
        _ => None,
    }
}

/// A value without the secret that it is or holds.
fn shown(name: &str, value: &str) -> String {
    if matches!(name, "model_key" | "siyuan_token") && !value.is_empty() {
        return "***".to_owned();
    }
    if name != "database_url" {
        return value.to_owned();
    }
    match value.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (login, rest))) if login.contains(':') => {
            let user = login.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:***@{rest}")
        }
        _ => value.to_owned(),
    }
}

fn unknown(name: &str) -> Failure {
    let nearest = nearest(name, SETTINGS.iter().map(|(known, ..)| *known));
    let hint = nearest.map(|known| format!("; did you mean {known}?")).unwrap_or_default();
    Failure::usage(format!("there is no setting {name:?}{hint}; `tavernkeep config` lists all"))
}

/// What runs functions: worker processes of this program, which start when they are needed.
#[cfg(feature = "script")]
fn scripts() -> Arc<dyn Scripts> {
    Arc::new(tavernkeep_script::Pool::new(tavernkeep_script::PoolOptions::default()))
}

/// What refuses functions.
#[cfg(not(feature = "script"))]
fn scripts() -> Arc<dyn Scripts> {
    Arc::new(tavernkeep_runtime::turn::NoScripts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, environment: &[(&str, &str)], set: &[&str]) -> Result<Config, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.toml");
        std::fs::write(&path, file).unwrap();
        let common =
            Common { config: Some(path), set: set.iter().map(ToString::to_string).collect(), ..Common::default() };
        let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Config::load(&common, &environment)
    }

    #[test]
    fn flags_win_over_environment_and_that_over_the_file() {
        let file = "listen = \"127.0.0.1:1\"\nallowed_hosts = [\"a\", \"b\"]";
        let config = load(file, &[("TAVERNKEEP_LISTEN", "127.0.0.1:2")], &["listen=127.0.0.1:3"]).unwrap();
        assert_eq!(config.get("listen"), "127.0.0.1:3");
        assert_eq!(config.get("allowed_hosts"), "a,b");
        let config = load(file, &[("TAVERNKEEP_LISTEN", "127.0.0.1:2")], &[]).unwrap();
        assert_eq!(config.get("listen"), "127.0.0.1:2");
        assert_eq!(load(file, &[], &[]).unwrap().get("listen"), "127.0.0.1:1");
    }

    #[test]
    fn a_wrong_name_gets_a_suggestion() {
        let failure = load("listne = \"x\"", &[], &[]).unwrap_err();
        assert!(failure.message.contains("did you mean listen?"), "{}", failure.message);
        let failure = load("", &[], &["connections_max=many"]).unwrap_err();
        assert!(failure.message.contains("connections_max = \"many\" (flag)"), "{}", failure.message);
    }

    #[test]
    fn a_request_processes_for_a_second_unless_somebody_says_otherwise() {
        let time = |set: &[&str]| load("", &[], set).unwrap().options(Access::Own).unwrap().process_time;
        assert_eq!(time(&[]), Duration::from_secs(1));
        assert_eq!(time(&["process_time_ms=0"]), Duration::ZERO);
    }

    #[test]
    fn a_time_has_a_unit() {
        let age = |text: &str| text.parse::<Kept>().map(|kept| kept.age_ms).ok();
        assert_eq!(age("30d"), Some(Some(2_592_000_000)));
        assert_eq!((age("90s"), age("5ms"), age("keep")), (Some(Some(90_000)), Some(Some(5)), Some(None)));
        assert_eq!((age("30"), age("d"), age("1w"), age("")), (None, None, None, None));
    }

    #[test]
    fn the_database_is_named_by_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("url");
        let named = format!("database_url_file={}", file.display());
        assert!(load("", &[], &[&named]).unwrap_err().message.contains("database_url_file"), "no such file");
        std::fs::write(&file, "postgres://u:secret@h/d\n").unwrap();
        let config = load("", &[], &[&named]).unwrap();
        assert_eq!(config.database(), Database::Postgres("postgres://u:secret@h/d".into()));
        assert!(!config.shows_password());
        assert!(load("", &[], &[&named, "database_url=postgres://h/d"]).is_err(), "which of the two?");
        assert!(load("", &[], &["database_url=postgres://u:secret@h/d"]).unwrap().shows_password());
        let environment = [("TAVERNKEEP_DATABASE_URL", "postgres://u:secret@h/d")];
        assert!(!load("", &environment, &[]).unwrap().shows_password());
    }

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(shown("database_url", "postgres://u:secret@h/d"), "postgres://u:***@h/d");
        assert_eq!(shown("database_url", "postgres://u@h/d"), "postgres://u@h/d");
    }
}
