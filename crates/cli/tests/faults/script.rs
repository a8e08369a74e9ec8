//! A script of operations on a watched disk, and what every client believed at every point of the record.

use crate::client::Outcome;
use crate::crew::Crew;
use crate::disk::{Call, Disk, Event, Failure, Fault};
use crate::http::Wire;
use crate::inside::{Inside, stored};
use crate::observe;
use crate::platter::Image;
use crate::random::Random;
use crate::things::{Things, after, difference, hangs_on};
use std::sync::Mutex;
use tavernkeep_runtime::FILE_NAME;

/// What a script does.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub operations: u64,
    pub clients: usize,
    /// Between two parts the server is restarted, which folds the log in.
    pub parts: u64,
    /// Whether a sync fails now and then. What it should have synced is forgotten by the disk, as Linux does it.
    pub failing: bool,
}

/// Everything a script did.
pub struct Script {
    pub events: Vec<Event>,
    pub believed: Vec<Believed>,
    /// How many operations were answered with an error.
    pub failed: u64,
}

/// What one client had stored after each of its steps.
pub struct Believed {
    pub client: String,
    pub states: Vec<ExpectedState>,
}

/// A state, and at which point of the record the client knew of it. One that was answered with an error may be found
/// after a cut that follows at once, and only then.
pub struct ExpectedState {
    pub at: usize,
    pub acknowledged: bool,
    things: Things,
}

/// Runs a script on an empty disk and writes everything down, the making of the database included.
pub fn perform(plan: Plan, random: &mut Random) -> Script {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disk = Disk::watch(folder.path());
    disk.record();
    let mut server = Some(Inside::start(folder.path()).expect("a server starts"));
    let wire = |server: &Option<Inside>| Wire::to(&server.as_ref().expect("a server runs").base);
    let mut crew = Crew::new(plan.clients, random, &wire(&server));
    let nothing = || ExpectedState { at: 0, acknowledged: true, things: Things::new() };
    let names = crew.clients.iter().map(|client| client.mind.name.clone());
    let believed = names.map(|client| Believed { client, states: vec![nothing()] }).collect();
    let (believed, choices): (Mutex<Vec<Believed>>, _) = (Mutex::new(believed), Mutex::new(random.fork()));
    let steps = (plan.operations / plan.parts).div_ceil(plan.clients as u64);
    for part in 1..=plan.parts {
        let wire = wire(&server);
        let work = |client: &mut crate::client::Client| {
            for _ in 0..steps {
                let step = client.choose();
                if plan.failing && choices.lock().unwrap().once_in(4) {
                    disk.arm(Fault { call: Call::Sync, nth: 1, failure: Failure::Broken, sticky: false });
                }
                let hoped = after(&client.mind.things, &step.changes);
                let begun: Vec<Things> = step.stages.iter().map(|stage| after(&client.mind.things, stage)).collect();
                let acknowledged = match client.take(step, &wire) {
                    Outcome::Acknowledged => true,
                    outcome => {
                        assert!(plan.failing, "{outcome:?}");
                        disk.disarm();
                        if !begun.is_empty() {
                            // Some of it may have been stored before it failed.
                            let found = client.judge_strictly(&observe::everything(&wire));
                            found.unwrap_or_else(|error| panic!("{error}"));
                        }
                        client.unknown = None;
                        false
                    }
                };
                disk.disarm();
                let at = disk.position();
                let begun = begun.into_iter().map(|things| ExpectedState { at, acknowledged: false, things });
                let mut believed = believed.lock().unwrap();
                let states = &mut believed.iter_mut().find(|one| one.client == client.mind.name).unwrap().states;
                let is_open = !acknowledged && begun.len() > 0;
                states.extend(begun.chain([ExpectedState { at, acknowledged, things: hoped }]));
                if is_open {
                    states.push(ExpectedState { at, acknowledged: true, things: client.mind.things.clone() });
                }
            }
        };
        crew.run(work, || {});
        server.take().expect("a server runs").end();
        if part < plan.parts {
            server = Some(Inside::start(folder.path()).expect("a server starts again"));
        }
    }
    let believed = believed.into_inner().unwrap();
    Script { events: disk.take_events(), believed, failed: crew.failed() }
}

/// Compares an image with what had been acknowledged up to a point: all of it, and of the next step all or nothing.
pub fn judge(image: &Image, believed: &[Believed], position: usize) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in image {
        std::fs::write(folder.path().join(name), content).expect("room for an image");
    }
    let everything = stored(folder.path()).map_err(|error| format!("it does not open: {error}"))?;
    let report = tavernkeep_runtime::check_file(&folder.path().join(FILE_NAME)).map_err(|error| error.to_string())?;
    if !report.findings.is_empty() {
        return Err(format!("check finds {:?}", report.findings));
    }
    for Believed { client, states } in believed {
        let found = everything.iter().filter(|(name, _)| hangs_on(name, client));
        let found: Things = found.map(|(name, value)| (name.clone(), value.clone())).collect();
        let known = states.iter().rposition(|state| state.acknowledged && state.at <= position).expect("the beginning");
        let next = states[known + 1..]
            .iter()
            .position(|state| state.acknowledged)
            .map_or(states.len(), |next| known + next + 2);
        let mut may_be = states[known..next].iter();
        if may_be.all(|state| state.things != found) {
            return Err(format!("{client} lost something:\n    {}", difference(&states[known].things, &found)));
        }
    }
    Ok(())
}
