//! Printing: data on stdout, messages on stderr, and exit codes that mean something.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;
use tavernkeep_runtime::{RuntimeError, record::ApiKey};

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub struct Failure {
    pub message: String,
    pub code: u8,
}

impl Failure {
    /// The request does not fit the state of things.
    pub fn refused(cause: impl Display) -> Failure {
        Failure { message: cause.to_string(), code: 1 }
    }

    /// The file of an export cannot be created.
    pub fn not_created(path: &Path, error: &io::Error) -> Failure {
        let path = path.display();
        match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::refused(format_args!(
                "{path} exists already; name a file that does not, so that no export is overwritten"
            )),
            _ => Failure::refused(format_args!("{path}: {error}")),
        }
    }

    /// The command line or the configuration is wrong.
    pub fn usage(cause: impl Display) -> Failure {
        Failure { message: cause.to_string(), code: 2 }
    }

    /// Something that should not happen.
    pub fn defect(cause: impl Display) -> Failure {
        Failure { message: cause.to_string(), code: 70 }
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        match error {
            RuntimeError::Bug(_) => Failure::defect(error),
            _ => Failure::refused(error),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::refused(error)
    }
}

pub fn print_line(text: &str) -> Result<(), Failure> {
    print_bytes(format!("{text}\n").as_bytes())
}

pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    match io::stdout().lock().write_all(bytes) {
        // The reader has closed the pipe, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result.map_err(Failure::from),
    }
}

/// Prints a message that is not data.
pub fn say(message: impl Display) {
    // A terminal that is gone is no reason to stop.
    let _ = writeln!(io::stderr(), "{message}");
}

pub fn complain(failure: &Failure) {
    say(format_args!("tavernkeep: {}", failure.message));
}

/// A key as JSON, with its secret where there is one to show.
pub fn key_json(key: &ApiKey, secret: Option<&str>) -> serde_json::Value {
    let mut object = serde_json::json!({
        "id": key.id.as_str(),
        "account_id": key.account.as_str(),
        "name": key.name,
        "role": key.role.as_str(),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
    });
    if let Some(secret) = secret {
        object["secret"] = secret.into();
    }
    object
}
