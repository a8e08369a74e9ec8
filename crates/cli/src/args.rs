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
  tavernkeep log yuki                           what did each message of a session change?
  tavernkeep functions list                     which functions are there?
  tavernkeep import SillyTavern/data/default-user --dry-run    what would be imported?
  tavernkeep call yuki ListVars                 call a tool of a session"
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
    /// A file that holds the URL of the PostgreSQL server, so that its password is in no list of processes
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "database_url")]
    pub database_url_file: Option<String>,
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
    /// Read everything that is stored and report corruption, session by session
    Check {
        /// A backup or another database file [default: the configured database]
        file: Option<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Accept what another program wrote to the database file: give pages the checksums of what they hold. Not while it is served
    Stamp {
        /// A backup or another database file [default: the configured database]
        file: Option<PathBuf>,
    },
    /// Apply a reply to a state, without a server, and show what comes of each of its commands
    Apply(ApplyArguments),
    /// Look at the function library, change it, try functions out
    #[command(subcommand)]
    Functions(FunctionsCommand),
    #[command(flatten)]
    Story(StoryCommand),
    /// Import chats and character cards of SillyTavern: files, or a whole user folder
    Import(ImportArguments),
    /// Write a session or a character as a file that SillyTavern reads
    #[command(subcommand)]
    Export(ExportCommand),
    /// Show the tool groups of a session, or enable and disable them
    Tools(ToolsOrder),
    /// Call a tool of a session
    Call(CallOrder),
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
    /// Evaluate the macros of a prompt at the end of a session, and show what is wrong with them
    Prompt(PromptArguments),
    /// Show what a model needs to know before it writes: the state, the rules of commands, the note
    Kit(KitArguments),
}

/// What to import; also works while the server runs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tavernkeep import Hana.png 'Hana - 2026-11-17@20h15m.jsonl'
  tavernkeep import SillyTavern/data/default-user --dry-run
  tavernkeep import SillyTavern/data/default-user --url http://chat.example:7117

A folder is imported file by file. Run it again after an interruption: what is there already is left alone.")]
pub struct ImportArguments {
    /// Chats (.jsonl), cards (.png, .json), or folders: a user folder of SillyTavern, its data folder, or one with such files
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Only list what would be imported
    #[arg(long)]
    pub dry_run: bool,
    /// What to do with chats and characters that are there already [default: refuse for a file, update for a folder]
    #[arg(long, value_name = "refuse|update|copy")]
    pub if_exists: Option<IfExistsWord>,
    /// What becomes of the states that MVU stored with messages: keep them where ours differ, or only compare
    #[arg(long, value_name = "keep|recompute", default_value = "keep")]
    pub states: StatesWord,
    /// The character that chats belong to
    #[arg(long, value_name = "ID")]
    pub character: Option<Id>,
    /// How many floors of a chat that is updated may be deleted
    #[arg(long, value_name = "COUNT")]
    pub max_deleted: Option<u64>,
    /// As JSON, a line for each file
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

/// What to do with something that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum IfExistsWord {
    /// Refuse it
    Refuse,
    /// Make it equal to the file
    Update,
    /// Import the file beside it
    Copy,
}

/// What becomes of stored states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum StatesWord {
    /// They count where ours differ
    Keep,
    /// They are compared, and ours count
    Recompute,
}

/// What is written as a file; also works while the server runs.
#[derive(Debug, Subcommand)]
pub enum ExportCommand {
    /// A session as a chat file
    Session {
        /// The session
        id: Id,
        /// The branch [default: main]
        #[arg(long, value_name = "NAME")]
        branch: Option<String>,
        /// The file to write; `-` is standard output [default: ID.jsonl, if there is none]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        reach: Reach,
    },
    /// A character as a card
    Character {
        /// The character
        id: Id,
        /// The kind of file
        #[arg(long, value_name = "png|json", default_value = "png")]
        format: CardWord,
        /// The file to write; `-` is standard output [default: ID.png or ID.json, if there is none]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        reach: Reach,
    },
}

/// How a card is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CardWord {
    /// A picture with the card inside
    Png,
    /// JSON
    Json,
}

/// What is done with functions; all of it also works while the server runs.
#[derive(Debug, Subcommand)]
pub enum FunctionsCommand {
    /// List the library: what comes with the program, and what authors wrote
    List {
        /// As JSON, a line for each function, as `GET /functions` shows it
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Show one function
    Show {
        /// Its id, such as builtin:SET
        id: Id,
        /// As JSON, as `GET /functions/{id}` shows it
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Create a function, from a file, from options, or from both
    Create {
        #[command(flatten)]
        fields: FunctionFields,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Change a function: what is given, and nothing else
    Update {
        /// Its id
        id: Id,
        #[command(flatten)]
        fields: FunctionFields,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Delete functions
    Delete {
        /// Their ids
        #[arg(required = true)]
        ids: Vec<Id>,
        #[command(flatten)]
        reach: Reach,
    },
    /// Put the functions that authors wrote into another order: all of the scope, each once
    Reorder {
        /// Their ids, in the new order
        #[arg(required = true)]
        ids: Vec<Id>,
        /// As JSON, a line for each function
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Copy a function, also one that comes with the program, to the account or to a character; the copy is disabled
    Copy {
        /// Its id, such as starter:clamp
        id: Id,
        /// The name of the copy [default: the same]
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        target: FunctionTarget,
    },
    /// Move a function to the account or to a character
    Move {
        /// Its id
        id: Id,
        #[command(flatten)]
        target: FunctionTarget,
    },
    /// Import a file of functions; they get new ids and are disabled
    Import {
        /// The file; `-` is standard input
        file: PathBuf,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Write functions as a file that `import` takes
    Export {
        /// Which ones [default: all that authors wrote]
        ids: Vec<Id>,
        /// The file to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Print what a prompt says of the enabled functions
    Prompt {
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Switch functions on
    Enable {
        /// Their ids, such as starter:clamp
        #[arg(required = true)]
        ids: Vec<Id>,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Switch functions off
    Disable {
        /// Their ids, such as builtin:SET
        #[arg(required = true)]
        ids: Vec<Id>,
        #[command(flatten)]
        place: FunctionsPlace,
    },
    /// Run functions of a file on a text and a state, without a database, and show what each call did
    Test(FunctionsTest),
}

impl FunctionsCommand {
    /// Where the library is.
    pub fn reach(&self) -> Reach {
        match self {
            FunctionsCommand::List { place, .. }
            | FunctionsCommand::Show { place, .. }
            | FunctionsCommand::Create { place, .. }
            | FunctionsCommand::Update { place, .. }
            | FunctionsCommand::Reorder { place, .. }
            | FunctionsCommand::Import { place, .. }
            | FunctionsCommand::Export { place, .. }
            | FunctionsCommand::Prompt { place }
            | FunctionsCommand::Enable { place, .. }
            | FunctionsCommand::Disable { place, .. } => place.reach.clone(),
            FunctionsCommand::Copy { target, .. } | FunctionsCommand::Move { target, .. } => target.reach.clone(),
            FunctionsCommand::Delete { reach, .. } => reach.clone(),
            FunctionsCommand::Test(order) => order.reach.clone(),
        }
    }
}

/// What a function is; options come before what the file says.
#[derive(Debug, Args)]
pub struct FunctionFields {
    /// A file of JSON with the fields, as `POST /functions` takes them; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// A file of JavaScript: the body of the function
    #[arg(long, value_name = "FILE")]
    pub executor: Option<PathBuf>,
    /// Its name
    #[arg(long)]
    pub name: Option<String>,
    /// `active` or `passive`
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Of an active function: a JavaScript pattern that finds its calls
    #[arg(long)]
    pub pattern: Option<String>,
    /// Of a passive function: `before_active` or `after_active`
    #[arg(long)]
    pub timing: Option<String>,
    /// When it runs, among others
    #[arg(long, allow_negative_numbers = true)]
    pub order: Option<i64>,
    /// What it does
    #[arg(long)]
    pub description: Option<String>,
    /// How it is called, for the prompt
    #[arg(long)]
    pub signature: Option<String>,
    /// A call, for the prompt
    #[arg(long)]
    pub example: Option<String>,
    /// Whether it counts
    #[arg(long, value_name = "true|false")]
    pub enabled: Option<bool>,
    /// As JSON, as `GET /functions/{id}` shows it
    #[arg(long)]
    pub json: bool,
}

/// Where a function goes.
#[derive(Debug, Args)]
pub struct FunctionTarget {
    /// To the functions of a character [default: to the account's]
    #[arg(long, value_name = "ID")]
    pub to_character: Option<Id>,
    /// As JSON, as `GET /functions/{id}` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

/// Whose functions, and where.
#[derive(Debug, Args)]
pub struct FunctionsPlace {
    /// The functions of a character instead of the account's
    #[arg(long, value_name = "ID")]
    pub character: Option<Id>,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tavernkeep functions test functions.json --text reply.txt --state state.json
  echo '@.HEAL(5);' | tavernkeep functions test heal.json --text - --json
  tavernkeep functions test dice.json --text reply.txt --context '{\"seed\": 7}'")]
pub struct FunctionsTest {
    /// A file of functions, as `functions export` writes it, or a list of functions
    pub file: PathBuf,
    /// The reply, a file of text; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub text: PathBuf,
    /// The state before, a file of JSON [default: the template of the profile's rule pack, else an empty object]
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// What the functions find in `context`, as JSON
    #[arg(long, value_name = "JSON")]
    pub context: Option<String>,
    /// As JSON, as `POST /functions/test` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

/// Where to look: into the configured database, or at a server.
#[derive(Debug, Clone, Args)]
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

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tavernkeep tools yuki
  tavernkeep tools yuki --enable vars --enable state
  tavernkeep tools yuki --rules")]
pub struct ToolsOrder {
    /// The session
    pub session: Id,
    /// Enable a group
    #[arg(long, value_name = "GROUP")]
    pub enable: Vec<String>,
    /// Disable a group
    #[arg(long, value_name = "GROUP")]
    pub disable: Vec<String>,
    /// Print the definitions of the enabled tools, for a model
    #[arg(long, conflicts_with = "rules")]
    pub definitions: bool,
    /// Print the rules about tools, for a system prompt
    #[arg(long)]
    pub rules: bool,
    /// As JSON, as `GET /sessions/{id}/tools/groups` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tavernkeep call yuki ListVars
  tavernkeep call yuki ReadVar '{\"name\": \"Rule/Agent/TODO\"}'
  tavernkeep call yuki fs-View '{\"path\": \"notes.txt\"}' --yes

Exit code 0: the tool did it; 1: it did not, or the call waits for a person or an application.")]
pub struct CallOrder {
    /// The session
    pub session: Id,
    /// The tool
    pub tool: String,
    /// Its arguments, a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    pub args: String,
    /// The page that is being generated
    #[arg(long, value_name = "ID")]
    pub page: Option<Id>,
    /// The branch [default: main]
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// Run it and show its result without asking anybody
    #[arg(long)]
    pub yes: bool,
    /// As JSON, as `GET /calls/{id}` shows it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
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

A line of --jsonl is {\"id\", \"profile\"?, \"state\"?, \"reply\", \"schema\"?, \"recent_texts\"?, \"role\"?}; its answer is {\"id\", \"state\",
\"commands\", \"change\", \"problems\", \"archived\"?}, or {\"id\", \"error\"} when the line cannot be read. Only with a profile that
uses a rule pack, such as memory, may a line leave `state` out: it starts from the pack's template. With the profile mvu the schema is MVU's own schema tree.")]
pub struct ApplyArguments {
    /// How commands are read and applied: default, strict, mvu, mvu_zod, memory, or JSON such as '{"base": "strict"}'
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub profile: String,
    /// The state before, a file of JSON [default: the template of the profile's rule pack, else an empty object]
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
#[command(after_help = "Examples:
  echo '{{view::status}}' | tavernkeep prompt yuki
  tavernkeep prompt yuki --text prompt.txt --page p9 --stage")]
pub struct PromptArguments {
    /// The session
    pub session: Id,
    /// The prompt, a file of text; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-", conflicts_with = "messages")]
    pub text: PathBuf,
    /// Messages instead of a text, a file of JSON: [{"role": "system", "content": "…"}]; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub messages: Option<PathBuf>,
    /// The branch [default: main, or that of the page]
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// The floor that the branch would be forked from, for one that does not exist yet
    #[arg(long, value_name = "ID")]
    pub source_floor: Option<Id>,
    /// The page that is generated
    #[arg(long, value_name = "ID")]
    pub page: Option<Id>,
    /// Stage on the page what the macros write, instead of a preview
    #[arg(long, requires = "page")]
    pub stage: bool,
    /// The name of the user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The name of the character [default: that of the session's character]
    #[arg(long, value_name = "NAME")]
    pub char: Option<String>,
    /// What `random`, `pick` and `roll` depend on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=9_007_199_254_740_991))]
    pub seed: Option<u64>,
    /// The time in milliseconds since 1970 [default: now]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(i64).range(0..=253_402_300_799_000))]
    pub now: Option<i64>,
    /// As JSON, as `POST /sessions/{id}/prompt-runtime/preview` answers
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Debug, Args)]
pub struct KitArguments {
    /// The session
    pub session: Id,
    /// The branch [default: main]
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// The view [default: the first of the profile]
    #[arg(long, value_name = "NAME")]
    pub view: Option<String>,
    /// Only what changed since this floor; a negative number counts back from the last
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub changed_since: Option<i64>,
    /// As JSON, as `GET /sessions/{id}/prompt-kit` answers
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reach: Reach,
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
