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
use std::time::Duration;
use tavernkeep_engine::nearest::nearest;
use tavernkeep_runtime::{Access, Database, Options, Quotas, Retention};
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
    ("trash_max_age", "30d", "how long deleted floors, pages and branches can be restored; 0s: not at all; or keep"),
    ("versions_max_age", "2d", "how long unused versions of states are kept, at least 1d, or keep"),
    ("purge_interval_ms", "300000", "how often expired rows are deleted; 0: never"),
    (
        "process_time_ms",
        "1000",
        "how long a request may process or clean up; a job or the next request continues; 0: at once",
    ),
    ("resolve_cache_bytes", "8388608", "memory for cached responses of resolve; 0: no cache"),
    ("connections_max", "4096", "maximum number of open client connections"),
    ("request_timeout_ms", "60000", "timeout of a request"),
    ("header_timeout_ms", "30000", "timeout for the headers of a request"),
    ("shutdown_timeout_ms", "20000", "how long a stopping server waits for running requests"),
    ("listeners_max", "1000", "maximum number of open event streams per account"),
    ("heartbeat_ms", "15000", "how often an idle event stream gets a heartbeat"),
    ("listener_stall_ms", "60000", "how long a client may stop reading its event stream before it is disconnected"),
    ("log_level", "info", "error, warn, info, debug or trace, or a filter such as tavernkeep_store=debug"),
    ("log_format", "auto", "text, json, or auto: text on a terminal"),
    ("log_requests", "true", "whether each request is logged"),
];

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
        for (name, value) in [("data", &common.data), ("database_url", &common.database_url)] {
            if let Some(value) = value {
                config.set(name, value.clone(), Origin::Flag)?;
            }
        }
        for pair in &common.set {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| Failure::usage(format!("--set wants NAME=VALUE, not {pair:?}")))?;
            config.set(name.trim(), value.to_owned(), Origin::Flag)?;
        }
        config.settings()?;
        config.options(Access::Visit)?;
        Ok(config)
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
        let options = Options::new(self.database());
        Ok(Options { access, postgres_connections, quotas, retention, process_time, ..options })
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

/// A value without the password that a database's URL may hold.
fn shown(name: &str, value: &str) -> String {
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
    fn a_password_is_not_shown() {
        assert_eq!(shown("database_url", "postgres://u:secret@h/d"), "postgres://u:***@h/d");
        assert_eq!(shown("database_url", "postgres://u@h/d"), "postgres://u@h/d");
    }
}
