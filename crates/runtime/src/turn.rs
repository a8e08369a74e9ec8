//! One turn: the only place that brings together what a turn depends on and drives it to its end.

use crate::documents::Documents;
use crate::rules::TurnRules;
use crate::{Refusal, Runtime, RuntimeResult, now_ms};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::function::Function;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::mvu::MvuSchema;
use tavernkeep_engine::profile::{FirstState, Profile};
use tavernkeep_engine::story::Base;
use tavernkeep_engine::turn::{Answer, Call, Clock, Outcome, Step, Turn, TurnPosition, Waiting};
use tavernkeep_store::db::hash::{hash, text_hash};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::edits::{AppliedEdits, Edit};
use tavernkeep_store::story::recipes::Recipe;
use tavernkeep_store::story::versions::{Before, Loaded, MadeWith, NewVersion};
use tavernkeep_store::tree::SessionKey;

/// Runs what turns ask for.
pub trait Scripts: Send + Sync {
    /// What runs the scripts of one turn of an account. Making it costs nothing: a turn may ask for nothing.
    fn turn<'a>(&'a self, account: &'a str) -> Box<dyn TurnScripts + 'a>;

    /// Makes ready for the first turn, if that takes time.
    fn warm_up(&self) {}

    /// How scripts are doing, for operators.
    fn counters(&self) -> ScriptCounters {
        ScriptCounters::default()
    }
}

/// How scripts are doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScriptCounters {
    /// Worker processes that were lost since the start: killed, or ended by themselves.
    pub workers_lost: u64,
    /// Worker processes that there are now.
    pub workers: u64,
    /// Turns that wait for a worker now.
    pub turns_waiting: u64,
}

/// Runs the scripts of one turn. It is called on a thread that may take its time.
pub trait TurnScripts {
    /// Answers a call of the turn that waits for it. The turn is not stored if nobody could be asked.
    fn answer(&mut self, call: &Call, waiting: &Waiting) -> RuntimeResult<Answer>;

    /// Compiles the code of functions without running it: for each what is wrong with it. Who cannot, finds nothing wrong.
    fn compile(&mut self, executors: &[String]) -> RuntimeResult<Vec<Option<String>>> {
        Ok(vec![None; executors.len()])
    }
}

/// Refuses every script.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoScripts;

/// Why nothing runs where there is nobody to run it.
const NO_SCRIPTS: &str = match cfg!(feature = "script") {
    true => "functions are not run here",
    false => "functions are not run: this program was built without the feature `script`",
};

impl Scripts for NoScripts {
    fn turn<'a>(&'a self, _: &'a str) -> Box<dyn TurnScripts + 'a> {
        Box::new(NoScripts)
    }
}

impl TurnScripts for NoScripts {
    fn answer(&mut self, call: &Call, _: &Waiting) -> RuntimeResult<Answer> {
        Ok(match call {
            Call::Patterns(functions) => {
                let failures = functions.iter().map(|number| (*number, NO_SCRIPTS.to_owned())).collect();
                Answer::Matches { matches: Vec::new(), failures }
            }
            Call::Run { .. } => Answer::Failed(NO_SCRIPTS.to_owned()),
        })
    }
}

/// Computes turns, and counts them.
pub struct Turns {
    scripts: Arc<dyn Scripts>,
    computed: AtomicU64,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns::new(Arc::new(NoScripts))
    }
}

impl Turns {
    /// Turns whose scripts are run by `scripts`.
    pub fn new(scripts: Arc<dyn Scripts>) -> Turns {
        Turns { scripts, computed: AtomicU64::new(0) }
    }

    /// What runs the scripts.
    pub(crate) fn scripts(&self) -> Arc<dyn Scripts> {
        Arc::clone(&self.scripts)
    }

    /// Computes a turn that applies a reply to a state. Without an account it has no functions.
    pub(crate) fn try_reply(&self, account: Option<&Id>, tried: TriedReply) -> RuntimeResult<Outcome> {
        let TriedReply { document, reply, profile, functions, mvu_schema, recent_texts, from_user, .. } = tried;
        let clock = Clock { now_ms: tried.now_ms.unwrap_or_else(now_ms), round: tried.round, seed: tried.seed };
        let turn =
            Turn { document, reply, profile, functions, mvu_schema, recent_texts, from_user, clock, ..Turn::default() };
        self.run(account.map_or(NOBODY, Id::as_str), Turn { position: tried.position, ..turn })
    }

    /// Matches the patterns of functions against an empty reply, and nothing else of a turn: which of them failed, and why.
    pub(crate) fn pattern_failures(
        &self,
        account: &Id,
        profile: Arc<Profile>,
        functions: Arc<[Function]>,
    ) -> RuntimeResult<Vec<(usize, String)>> {
        let turn = Turn { profile, functions, ..Turn::default() };
        let Step::Waiting(call, waiting) = turn.start() else { return Ok(Vec::new()) };
        match self.scripts.turn(account.as_str()).answer(&call, &waiting)? {
            Answer::Matches { failures, .. } => Ok(failures),
            Answer::Ran(_) | Answer::Failed(_) => Ok(Vec::new()),
        }
    }

    /// Computes a turn of an account.
    fn run(&self, account: &str, turn: Turn) -> RuntimeResult<Outcome> {
        self.computed.fetch_add(1, Ordering::Relaxed);
        let mut scripts = self.scripts.turn(account);
        let mut step = turn.start();
        loop {
            step = match step {
                Step::Done(outcome) => return Ok(*outcome),
                Step::Waiting(call, waiting) => {
                    let answer = scripts.answer(&call, &waiting)?;
                    waiting.resume(answer)
                }
            };
        }
    }

    /// How many turns were computed.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }
}

/// The account of a reply that is tried out.
const NOBODY: &str = "";

/// A reply that is applied to a state, nothing stored.
#[derive(Default)]
pub(crate) struct TriedReply {
    pub(crate) document: Value,
    pub(crate) reply: String,
    pub(crate) profile: Arc<Profile>,
    pub(crate) functions: Arc<[Function]>,
    pub(crate) mvu_schema: Option<MvuSchema>,
    pub(crate) recent_texts: Vec<String>,
    pub(crate) from_user: bool,
    pub(crate) position: TurnPosition,
    /// The time of the turn; none for now.
    pub(crate) now_ms: Option<i64>,
    pub(crate) round: i64,
    pub(crate) seed: u64,
}

/// What a turn of a session starts from.
#[derive(Debug, Clone)]
pub(crate) struct TurnBase {
    pub(crate) document: Value,
    pub(crate) before: Before,
    pub(crate) round: i64,
}

impl TurnBase {
    pub(crate) fn of(loaded: Loaded) -> TurnBase {
        let before = Before { mvu_schema: loaded.mvu_schema, since: Some(loaded.since) };
        TurnBase { document: loaded.document, before, round: loaded.round }
    }

    pub(crate) fn first(first: FirstState) -> TurnBase {
        let before = Before { mvu_schema: first.mvu_schema, since: None };
        TurnBase { document: first.document, before, round: 0 }
    }
}

/// A turn of a session.
pub(crate) struct SessionTurn {
    pub(crate) account: Id,
    pub(crate) base: TurnBase,
    pub(crate) reply: Arc<str>,
    pub(crate) page: Id,
    pub(crate) recipe: Recipe,
    pub(crate) rules: TurnRules,
    pub(crate) recent_texts: Vec<String>,
    /// Where the turn stands, for its functions.
    pub(crate) position: TurnPosition,
    /// Whether a person wrote the text.
    pub(crate) from_user: bool,
    /// The edits of the page.
    pub(crate) edits: Vec<Edit>,
    /// The time of the turn: that of its first computation, however often it is computed.
    pub(crate) now_ms: i64,
}

/// What came of a turn of a session.
pub(crate) struct ComputedTurn {
    pub(crate) outcome: Outcome,
    /// What edits by hand made of the outcome's document.
    pub(crate) document: Value,
    pub(crate) edits: AppliedEdits,
    pub(crate) version: NewVersion,
}

impl ComputedTurn {
    /// The document as it is kept in memory.
    pub(crate) fn loaded(&self) -> Loaded {
        let (document, mvu_schema) = (self.document.clone(), self.outcome.mvu_schema.clone());
        Loaded { document, mvu_schema, since: self.version.since(), round: self.version.round }
    }
}

/// Bytes of a reply, and of those before it that come with it, times bytes of its document below which a turn takes less time than a change of threads does. Each of
/// the commands may look through all items, so the worst of such turns takes some milliseconds.
const SHORT_WORK_MAX: usize = 128 * 1024 * 1024;

impl SessionTurn {
    fn is_short(&self) -> bool {
        // Functions are run by another process, which may be busy.
        !self.rules.functions.iter().any(|function| function.enabled)
            && self.texts_bytes().saturating_mul(self.base.document.weight()) <= SHORT_WORK_MAX
    }

    /// The bytes of the reply and of those before it: rules look through them all.
    fn texts_bytes(&self) -> usize {
        self.reply.len() + self.recent_texts.iter().map(String::len).sum::<usize>()
    }

    fn compute(self, turns: &Turns) -> RuntimeResult<ComputedTurn> {
        let round = self.base.round + 1;
        let Before { mvu_schema, since } = self.base.before;
        let clock = Clock { now_ms: self.now_ms, round, seed: seed(&self.page, round) };
        let account = self.account.to_string();
        let turn = Turn {
            document: self.base.document,
            reply: self.reply.to_string(),
            profile: self.rules.profile,
            functions: self.rules.functions,
            mvu_schema: mvu_schema.clone(),
            recent_texts: self.recent_texts,
            position: self.position,
            from_user: self.from_user,
            clock,
        };
        let outcome = turns.run(&account, turn)?;
        let text_hash = text_hash(Some(&self.reply));
        let made_with = MadeWith { text_hash, recipe: self.recipe, clock_ms: self.now_ms, round };
        let mut document = outcome.document.clone();
        let edits = AppliedEdits::apply(&self.edits, &mut document);
        let before = Before { mvu_schema, since };
        let version = NewVersion::of_turn(made_with, &before, &self.reply, &outcome, (&edits, &document));
        Ok(ComputedTurn { outcome, document, edits, version })
    }
}

/// The random seed of a turn: the same whenever the turn is computed again.
fn seed(page: &Id, round: i64) -> u64 {
    let hash = hash(format!("{page}:{round}").as_bytes());
    hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

impl Runtime {
    /// Computes a turn of a session. What may take long is computed on a thread of its own.
    pub(crate) async fn compute(&self, turn: SessionTurn) -> RuntimeResult<ComputedTurn> {
        if turn.is_short() {
            return turn.compute(&self.turns);
        }
        let turns = Arc::clone(&self.turns);
        tokio::task::spawn_blocking(move || turn.compute(&turns)).await?
    }

    /// What computes and counts turns.
    pub fn turns(&self) -> Arc<Turns> {
        Arc::clone(&self.turns)
    }

    /// How many turns were computed since the start: neither a read nor a repeated write computes one.
    pub fn turns_computed(&self) -> u64 {
        self.turns.computed()
    }

    /// How scripts are doing.
    pub fn script_counters(&self) -> ScriptCounters {
        self.turns.scripts().counters()
    }

    /// Documents of versions, for a read of its own.
    pub(crate) fn documents(&self) -> Arc<Documents> {
        Arc::clone(&self.documents)
    }

    /// The document and schema that a turn starts from.
    pub(crate) async fn base(&self, session: SessionKey<'_>, base: Base) -> RuntimeResult<TurnBase> {
        if let Base::Version(row) = base
            && let Some(loaded) = self.documents.known(session, row)
        {
            return Ok(TurnBase::of(loaded));
        }
        let (owner, documents) = (session.account.clone(), Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| match base {
            Base::Version(row) => documents.load(tx, SessionKey::new(&owner, session.row), row).map(TurnBase::of),
            Base::Template => documents.first_state(tx, SessionKey::new(&owner, session.row)).map(TurnBase::first),
            Base::Unprocessed => Err(Refusal::ParentMoved.into()),
        };
        self.store.read(read).await
    }
}
