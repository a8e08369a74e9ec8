//! `account`: accounts and their keys. A short visit to the database, also while a server uses it.

use crate::args::{AccountCommand, AccountOrder, KeyCommand, Max};
use crate::config::Config;
use crate::output::{Failure, key_json, print_line, say};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::ExitCode;
use tavernkeep_engine::id::Id;
use tavernkeep_runtime::order::NewKey;
use tavernkeep_runtime::record::{Account, ApiKey};
use tavernkeep_runtime::{Access, Damaged, Database, FILE_NAME, Item, QuotaPatch, Runtime, Share, Usage, now_ms};

pub async fn run(config: &Config, order: AccountOrder) -> Result<ExitCode, Failure> {
    if let Database::Sqlite(folder) = config.database()
        && !folder.join(FILE_NAME).exists()
    {
        say(format_args!(
            "there was no database in {}; this makes one (--data names another folder)",
            folder.display()
        ));
    }
    let runtime = Runtime::open(config.options(Access::Visit)?).await?;
    let result = perform(&runtime, order.command).await;
    runtime.close().await;
    result.map(|()| ExitCode::SUCCESS)
}

async fn perform(runtime: &Runtime, command: AccountCommand) -> Result<(), Failure> {
    match command {
        AccountCommand::Create { id } => {
            let account = runtime.create_account(id).await?;
            say(format_args!("created {0}; make a key with `tavernkeep account key create --account {0}`", account.id));
        }
        AccountCommand::List { json } => {
            let mut rows = Vec::new();
            for account in runtime.list_accounts().await? {
                let usage = runtime.usage(&account.id).await?;
                rows.push((account, usage));
            }
            print_accounts(&rows, json)?;
        }
        AccountCommand::Quota { id, sessions, variables, keys, json } => {
            let own = |max: Option<Max>| {
                max.map(|max| match max {
                    Max::Own(max) => Some(max),
                    Max::Default => None,
                })
            };
            let patch = QuotaPatch { sessions: own(sessions), variables: own(variables), keys: own(keys) };
            if patch != QuotaPatch::default() {
                runtime.set_quota(&id, patch).await?;
            }
            print_usage(&runtime.usage(&id).await?, json)?;
        }
        AccountCommand::Disable { id } => {
            runtime.set_account_disabled(&id, true).await?;
            say(format_args!("{id} is closed; `tavernkeep account enable {id}` opens it again"));
        }
        AccountCommand::Enable { id } => {
            runtime.set_account_disabled(&id, false).await?;
            say(format_args!("{id} is open"));
        }
        AccountCommand::Export { id, output } => export(runtime, &id, output.as_deref()).await?,
        AccountCommand::Delete { id, yes: false } => {
            return Err(Failure::usage(format_args!(
                "this would delete {id} with everything in it; `tavernkeep account export {id}` saves it first, \
                 --yes does it"
            )));
        }
        AccountCommand::Delete { id, yes: true } => {
            runtime.delete_account(&id).await?;
            say(format_args!("deleted {id}"));
        }
        AccountCommand::Key(command) => keys(runtime, command).await?,
    }
    Ok(())
}

async fn keys(runtime: &Runtime, command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Create { owner, role, name, expires_in_ms, json } => {
            let expires_at = expires_in_ms.map(|span| now_ms().saturating_add(span));
            let (key, secret) = runtime.create_key(&owner.account, NewKey { name, role, expires_at }).await?;
            if json {
                return print_line(&key_json(&key, Some(&secret)).to_string());
            }
            say(format_args!("key {} ({}) of {}; this is its secret, shown only now:", key.id, key.role, key.account));
            print_line(&secret)
        }
        KeyCommand::List { owner, json } => print_keys(&runtime.list_keys(&owner.account).await?, json),
        KeyCommand::Revoke { key, owner } => {
            let key = runtime.revoke_key(&owner.account, &key).await?;
            say(format_args!("revoked {}", key.id));
            Ok(())
        }
    }
}

/// The shares of an account by name.
fn shares(usage: &Usage) -> [(&'static str, Share); 3] {
    [("sessions", usage.sessions), ("variables", usage.variables), ("keys", usage.keys)]
}

fn usage_json(usage: &Usage) -> serde_json::Value {
    let share = |share: Share| serde_json::json!({"used": share.used, "trashed": share.trashed, "max": share.max, "own": share.own});
    shares(usage).into_iter().map(|(name, it)| (name.to_owned(), share(it))).collect::<serde_json::Map<_, _>>().into()
}

fn print_usage(usage: &Usage, json: bool) -> Result<(), Failure> {
    if json {
        return print_line(&usage_json(usage).to_string());
    }
    shares(usage).iter().try_for_each(|(name, share)| {
        let origin = if share.own { "own" } else { "default" };
        print_line(&format!("{name}\t{} of {}\t{origin}", share.used, share.max))
    })
}

fn print_accounts(accounts: &[(Account, Usage)], json: bool) -> Result<(), Failure> {
    if json {
        let rows: Vec<_> = accounts
            .iter()
            .map(|(account, usage)| {
                serde_json::json!({
                    "id": account.id.as_str(),
                    "created_at": account.created_at,
                    "disabled_at": account.disabled_at,
                    "quotas": usage_json(usage),
                })
            })
            .collect();
        return print_line(&serde_json::Value::from(rows).to_string());
    }
    accounts.iter().try_for_each(|(account, usage)| {
        let state = if account.disabled_at.is_some() { "closed" } else { "open" };
        let shares: String =
            shares(usage).iter().map(|(name, share)| format!("\t{} of {} {name}", share.used, share.max)).collect();
        print_line(&format!("{}\t{state}{shares}", account.id))
    })
}

fn print_keys(keys: &[ApiKey], json: bool) -> Result<(), Failure> {
    if json {
        let rows: Vec<_> = keys.iter().map(|key| key_json(key, None)).collect();
        return print_line(&serde_json::Value::from(rows).to_string());
    }
    keys.iter().try_for_each(|key| {
        let state = match (key.revoked_at, key.expires_at) {
            (Some(_), _) => "revoked",
            (None, Some(end)) if end <= now_ms() => "expired",
            _ => "valid",
        };
        print_line(&format!("{}\t{}\t{state}\t{}", key.id, key.role, key.name))
    })
}

/// Exports an account. What is damaged is left out and named, and then the program ends with an error.
async fn export(runtime: &Runtime, id: &Id, output: Option<&Path>) -> Result<(), Failure> {
    let mut export = runtime.export_account(id).await?;
    let mut out: Box<dyn Write + Send> = match output {
        Some(path) => Box::new(BufWriter::new(create_private(path)?)),
        None => Box::new(BufWriter::new(std::io::stdout())),
    };
    let mut damaged = 0_usize;
    while let Some(items) = export.next().await? {
        for item in &items {
            if let Item::Damaged(Damaged { session, what, id, message }) = item {
                damaged += 1;
                let session = session.as_ref().map_or_else(String::new, |session| format!("session {session}, "));
                say(format_args!("left out: {session}{what} {}: {message}", id.as_deref().unwrap_or("(all others)")));
            }
        }
        out.write_all(&tavernkeep_server::export_lines(items)?)?;
    }
    out.flush()?;
    match damaged {
        0 => Ok(()),
        _ => Err(Failure::refused(format_args!(
            "{damaged} lines are damaged and left out; everything else is exported. `tavernkeep check` names what is damaged"
        ))),
    }
}

/// Creates a file that only its owner may read. Nothing that exists is overwritten.
fn create_private(path: &Path) -> Result<File, Failure> {
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    created.map_err(|error| Failure::not_created(path, &error))
}
