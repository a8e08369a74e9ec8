//! What can be said on the command line.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::POSITION_MAX;
use tavernkeep_engine::role::Role;
use tavernkeep_runtime::Mode;

/// Keeps the state of LLM conversations: what a story or an agent knows at every message, on every branch and swipe.
#[derive(Debug, Parser)]
#[command(
    name = "tavernkeep",
    version,
    about,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Examples:
  tavernkeep serve                              serve on http://127.0.0.1:7117, data in ./data
  tavernkeep serve --database-url postgres://…  serve from a PostgreSQL server
  tavernkeep account key create --role write    make a key; from then on requests need one
  tavernkeep backup --output keep.db            copy everything while it is being served
  tavernkeep check keep.db                      is the copy whole?
  tavernkeep apply --state s.json --reply -     what would this reply do to that state?
  tavernkeep sessions                           which sessions are there?
  tavernkeep log yuki                           what did each message of a session change?"
)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Settings that every command understands. They override the environment, which overrides the file.
#[derive(Debug, Args, Default)]
pub struct Common {
    /// The configuration file [default: tavernkeep.toml, if there is one]
    #[arg(long, global = true, value_name = "FILE", env = "TAVERNKEEP_CONFIG")]
    pub config: Option<PathBuf>,
    /// The data folder [default: ./data]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<String>,
    /// A PostgreSQL server to use instead of a data folder
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// Any other setting, such as `--set log_level=debug`; `tavernkeep config` lists them
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the HTTP API
    Serve(ServeOrder),
    /// Manage accounts and their keys; also works while the server runs
    Account(AccountOrder),
    /// Show every setting and where its value comes from
    Config {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Copy the database to a new file, consistently, while it is being served
    Backup {
        /// The file to write; it must not exist
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Read everything that is stored and say what is hurt, and in which session
    Check {
        /// A backup or another database file [default: the configured database]
        file: Option<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Apply a reply to a state, without a server, and show what comes of each of its commands
    Apply(ApplyArguments),
    #[command(flatten)]
    Story(StoryCommand),
    /// Print the API document (OpenAPI 3.1)
    Openapi,
    /// Print completions for a shell, e.g. `tavernkeep completions bash > /etc/bash_completion.d/tavernkeep`
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// What looks at the story of a session; all of it also works while the server runs.
#[derive(Debug, Subcommand)]
pub enum StoryCommand {
    /// List sessions, the one that changed last first
    Sessions(SessionsOrder),
    /// List the branches of a session, oldest first
    Branches(BranchesOrder),
    /// Show the floors of a session and what each of them changed, newest last
    Log(LogOrder),
    /// Show the state at a place of a story
    Show(ShowOrder),
    /// Show how two states differ
    Diff(DiffOrder),
    /// Recompute states that do not fit their texts any more
    Recompute(RecomputeOrder),
}

/// Where to look: into the configured database, or at a server.
#[derive(Debug, Args)]
pub struct Reach {
    /// The account
    #[arg(long, default_value = "default-admin", conflicts_with = "url")]
    pub account: Id,
    /// A server to ask instead of opening the database, such as http://127.0.0.1:7117
    #[arg(long, value_name = "URL", env = "TAVERNKEEP_URL")]
    pub url: Option<String>,
    /// The key to send to that server; better in the environment, where other users cannot see it
    #[arg(long, value_name = "SECRET", env = "TAVERNKEEP_KEY", hide_env_values = true)]
    pub key: Option<String>,
}

#[derive(Debug, Args)]
pub struct SessionsOrder {
    /// As JSON, a line for each session, as `GET /sessions` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Debug, Args)]
pub struct BranchesOrder {
    /// The session
    pub session: Id,
    /// As JSON, a line for each branch, as `GET /sessions/{id}/branches` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tavernkeep log yuki
  tavernkeep log yuki -n 5 --url http://chat.example:7117
  tavernkeep log yuki --branch 'what if' --from 100
  tavernkeep log yuki --json | jq -c '[.floor_no, .change]'")]
pub struct LogOrder {
    /// The session
    pub session: Id,
    /// The branch [default: main]
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// The first floor
    #[arg(long, value_name = "N", value_parser = position())]
    pub from: Option<i64>,
    /// The last floor
    #[arg(long, value_name = "N", value_parser = position())]
    pub to: Option<i64>,
    /// Only the last so many floors
    #[arg(short = 'n', long = "last", value_name = "COUNT", value_parser = clap::value_parser!(i64).range(1..=POSITION_MAX))]
    pub last: Option<i64>,
    /// As JSON, a line for each floor, as `GET /sessions/{id}/log` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tavernkeep show yuki                          the newest state
  tavernkeep show yuki --floor 12 --path 小雪.好感
  tavernkeep show page:01a1dfda-0143-7f2a-a1ff-7544b7de4b4d")]
pub struct ShowOrder {
    /// A session, page, snapshot or floor by its id, or page:ID, floor:ID, snapshot:ID, session:ID, branch:SESSION/NAME
    pub what: String,
    /// The branch of the session [default: main]
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// The floor of the session [default: the newest]
    #[arg(long, value_name = "N", value_parser = position())]
    pub floor: Option<i64>,
    /// Only the value at this path, such as `bag[0].name` or `/bag/0/name`
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// As JSON, as `GET /pages/{id}/state` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tavernkeep diff session:yuki 'branch:yuki/what if'
  tavernkeep diff page:a page:b")]
pub struct DiffOrder {
    /// A session, page, snapshot or floor by its id, or page:ID, floor:ID, snapshot:ID, session:ID, branch:SESSION/NAME
    pub from: String,
    /// The other one
    pub to: String,
    /// As JSON, as `GET /compare` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Debug, Args)]
pub struct RecomputeOrder {
    /// The session
    pub session: Id,
    /// The branch [default: main]
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// Recompute everything from this floor on, whether it fits or not
    #[arg(long, value_name = "N", value_parser = position())]
    pub from_floor: Option<i64>,
    /// Which pages: stale (those that do not fit), latest (the last one), all
    #[arg(long, default_value = "stale", value_parser = mode)]
    pub mode: Mode,
    /// Only report what would happen
    #[arg(long)]
    pub dry_run: bool,
    /// Recompute states that were edited by hand too
    #[arg(long)]
    pub overwrite_edited: bool,
    /// As JSON, as `POST /sessions/{id}/process` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub owner: Owner,
}

fn mode(text: &str) -> Result<Mode, String> {
    text.parse().map_err(|()| Mode::WORDS.join(", "))
}

fn position() -> clap::builder::RangedI64ValueParser {
    clap::value_parser!(i64).range(0..=POSITION_MAX)
}

#[derive(Debug, Args)]
pub struct ServeOrder {
    /// The address to listen on [default: 127.0.0.1:7117]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// Put a small conversation into an empty database
    #[arg(long)]
    pub demo: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tavernkeep apply --profile mvu --state state.json --reply reply.txt
  pbpaste | tavernkeep apply --reply - --json
  tavernkeep apply --jsonl < lines.jsonl > answers.jsonl

A line of --jsonl is {\"id\", \"profile\", \"state\", \"reply\", \"schema\"?}; its answer is {\"id\", \"state\", \"commands\", \"change\",
\"problems\"}, or {\"id\", \"error\"} when the line cannot be read. With the profile mvu the schema is MVU's own schema tree.")]
pub struct ApplyArguments {
    /// How commands are read and applied: default, strict, mvu, mvu_zod, memory, or JSON such as '{"base": "strict"}'
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub profile: String,
    /// The state before, a file of JSON [default: an empty object]
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// The reply, a file of text; `-` is standard input
    #[arg(long, value_name = "FILE", required_unless_present = "jsonl")]
    pub reply: Option<PathBuf>,
    /// What the state may hold, a file of JSON
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// As one JSON object
    #[arg(long)]
    pub json: bool,
    /// Answer lines of JSON with lines of JSON
    #[arg(long, conflicts_with_all = ["profile", "state", "reply", "schema", "json"])]
    pub jsonl: bool,
    /// With --jsonl: the file with the lines [default: standard input]
    #[arg(value_name = "FILE", requires = "jsonl")]
    pub lines: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct AccountOrder {
    #[command(subcommand)]
    pub command: AccountCommand,
}

#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Create an account
    Create { id: Id },
    /// List all accounts
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what an account has and may have, or say what it may have
    Quota {
        id: Id,
        /// Sessions: a number, or `default` for the server's setting
        #[arg(long, value_name = "N", value_parser = quota)]
        sessions: Option<Max>,
        /// Variables on all scopes together
        #[arg(long, value_name = "N", value_parser = quota)]
        variables: Option<Max>,
        /// Keys that are neither revoked nor expired
        #[arg(long, value_name = "N", value_parser = quota)]
        keys: Option<Max>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Close an account to all its keys
    Disable { id: Id },
    /// Open a closed account again
    Enable { id: Id },
    /// Write everything an account holds as lines of JSON
    Export {
        id: Id,
        /// The file to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Delete an account with everything in it
    Delete {
        id: Id,
        /// Do it: nothing can bring the account back but a backup
        #[arg(long)]
        yes: bool,
    },
    /// Manage the keys of an account
    #[command(subcommand)]
    Key(KeyCommand),
}

/// A limit of an account's own, or the server's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Max {
    Own(i64),
    Default,
}

fn quota(text: &str) -> Result<Max, String> {
    match text {
        "default" => Ok(Max::Default),
        _ => text.parse::<u32>().map(|max| Max::Own(max.into())).map_err(|_| "a number, or `default`".into()),
    }
}

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key; its secret is shown once
    Create {
        #[command(flatten)]
        owner: Owner,
        /// What it may do: read, write or admin
        #[arg(long, default_value = "write")]
        role: Role,
        /// What people call it
        #[arg(long, default_value = "")]
        name: String,
        /// After how many milliseconds it stops working [default: never]
        #[arg(long, value_name = "MS")]
        expires_in_ms: Option<i64>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List an account's keys
    List {
        #[command(flatten)]
        owner: Owner,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key, from the next request on
    Revoke {
        /// The key's id, not its secret
        key: Id,
        #[command(flatten)]
        owner: Owner,
    },
}

#[derive(Debug, Args)]
pub struct Owner {
    /// The account
    #[arg(long, default_value = "default-admin")]
    pub account: Id,
}
