//! Patterns and code of authors, looked at before they are stored: what is no pattern or no code would fail in every turn.

use crate::turn::Turns;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult};
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::library::{FunctionType, InvalidFunction, LibraryFunction, ScopeFunctions, combine};
use tavernkeep_engine::profile::Profile;

/// How a failure begins that is the pattern's or the code's own. Others, such as a worker that is busy, say nothing about it.
const MALFORMED: &str = "SyntaxError: ";

impl Runtime {
    /// Refuses a function whose pattern is none, or whose code is.
    pub(crate) async fn check_function(&self, account: &Id, function: &LibraryFunction) -> RuntimeResult<()> {
        let functions = std::slice::from_ref(function);
        let checked = match self.check_patterns(account, functions).await {
            Ok(()) => self.check_code(account, functions).await,
            wrong => wrong,
        };
        match checked {
            Err(RuntimeError::Refused(Refusal::FunctionInvalid(_, error))) => {
                Err(Refusal::FunctionInvalid(None, error).into())
            }
            checked => checked,
        }
    }

    /// Refuses functions whose patterns are none, by their places in a list.
    pub(crate) async fn check_patterns(&self, account: &Id, functions: &[LibraryFunction]) -> RuntimeResult<()> {
        let with_pattern = functions
            .iter()
            .enumerate()
            .filter(|(_, function)| function.kind == FunctionType::Active && function.pattern.is_some());
        // What each is called says its place: the order of functions in a turn is another one.
        let named: Vec<LibraryFunction> = with_pattern
            .map(|(place, function)| LibraryFunction { name: place.to_string(), ..function.clone() })
            .collect();
        if named.is_empty() {
            return Ok(());
        }
        let (turns, account) = (self.turns(), account.clone());
        let malformed = tokio::task::spawn_blocking(move || malformed(&turns, &account, &named)).await??;
        match malformed {
            Some((place, message)) => {
                let message = format!("is no JavaScript pattern: {message}");
                Err(self.refuse_function(place, InvalidFunction { field: "pattern", message }))
            }
            None => Ok(()),
        }
    }

    /// Refuses functions whose code is none, by their places in a list.
    pub(crate) async fn check_code(&self, account: &Id, functions: &[LibraryFunction]) -> RuntimeResult<()> {
        let errors = self.code_errors(account, functions).await?;
        let mut errors = errors.into_iter().enumerate().filter_map(|(place, error)| Some((place, error?)));
        match errors.next() {
            Some((place, message)) => {
                let message = format!("is not the body of a JavaScript function: {message}");
                Err(self.refuse_function(place, InvalidFunction { field: "executor", message }))
            }
            None => Ok(()),
        }
    }

    /// What is wrong with the code of functions, if anything is.
    pub(crate) async fn code_errors(
        &self,
        account: &Id,
        functions: &[LibraryFunction],
    ) -> RuntimeResult<Vec<Option<String>>> {
        // Nothing is always right, and needs nobody to look at it.
        if functions.iter().all(|function| function.executor.trim().is_empty()) {
            return Ok(vec![None; functions.len()]);
        }
        let executors: Vec<String> = functions.iter().map(|function| function.executor.clone()).collect();
        let (scripts, account) = (self.turns.scripts(), account.clone());
        let compile = move || scripts.turn(account.as_str()).compile(&executors);
        let errors = tokio::task::spawn_blocking(compile).await??;
        let own = |error: Option<String>| error?.strip_prefix(MALFORMED).map(str::to_owned);
        Ok(errors.into_iter().map(own).collect())
    }

    fn refuse_function(&self, place: usize, error: InvalidFunction) -> RuntimeError {
        self.refuse(Refusal::FunctionInvalid(Some(place), error).into())
    }
}

/// The first function whose pattern cannot be read, by its name, and why.
fn malformed(turns: &Turns, account: &Id, functions: &[LibraryFunction]) -> RuntimeResult<Option<(usize, String)>> {
    let scope = ScopeFunctions::new(functions, Vec::new());
    let (profile, functions) = combine(&Arc::new(Profile::default()), &ScopeFunctions::default(), &scope);
    let failures = turns.pattern_failures(account, profile, Arc::clone(&functions))?;
    let place = |number: usize| functions.get(number)?.name.parse::<usize>().ok();
    let own = failures
        .into_iter()
        .filter_map(|(number, message)| Some((place(number)?, message.strip_prefix(MALFORMED)?.to_owned())));
    Ok(own.min())
}
