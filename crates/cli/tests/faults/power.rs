//! A power cut at every sync point of a script, on a disk that forgets what was not synced: nothing that was acknowledged
//! is lost, nothing is half done, and the database opens without repair.
//!
//! The cut behind a sync is the cut before the next one, with less acknowledged; so each sync point is cut once, just
//! before it happens.

use crate::campaign::Campaign;
use crate::disk::Event;
use crate::platter::{Platter, Survivors};
use crate::random::Random;
use crate::script::{Plan, Script, judge, perform};
use tavernkeep_runtime::FILE_NAME;

/// What was looked at.
#[derive(Default)]
struct Figures {
    points: u64,
    images: u64,
    /// How often the log was begun.
    logs: usize,
    failed: u64,
}

/// Cuts before every sync point and judges what is left.
fn cut_everywhere(
    script: &Script,
    random: &mut Random,
    survivors: &[Survivors],
    figures: &mut Figures,
) -> Result<(), String> {
    let mut platter = Platter::default();
    for (position, event) in script.events.iter().enumerate() {
        if let Event::Sync { .. } | Event::FailedSync { .. } = event {
            figures.points += 1;
            for &survivors in survivors {
                let image = platter.cut(survivors, random);
                judge(&image, &script.believed, position)
                    .map_err(|error| format!("cut before event {position}, {survivors:?} survive: {error}"))?;
                figures.images += 1;
            }
        }
        platter.feed(event);
    }
    let is_head = |event: &&Event| matches!(event, Event::Write { offset: 0, file, .. } if file.ends_with("-wal"));
    figures.logs += script.events.iter().filter(is_head).count();
    figures.images += 1;
    figures.failed += script.failed;
    judge(&platter.cut(Survivors::None, random), &script.believed, script.events.len())
}

#[test]
fn a_power_cut_takes_nothing_that_was_acknowledged() {
    let campaign = Campaign::begin("power cuts");
    let mut random = campaign.random();
    let survivors = if campaign.is_smoke() { &[Survivors::None, Survivors::Any][..] } else { &Survivors::ALL };
    let operations = campaign.faults.max(16);
    let mut figures = Figures::default();
    let plan = Plan { operations, clients: 1, parts: 2, failing: false };
    // The third is long enough for the log to be folded in and restarted between two commits.
    let long = Plan { operations: operations * 3, parts: 1, ..plan };
    for plan in
        [plan, Plan { clients: 8, ..plan }, long, Plan { failing: true, ..plan }, Plan { failing: true, ..long }]
    {
        let script = perform(plan, &mut random);
        let folded = script.events.iter().any(|event| matches!(event, Event::Write { file, .. } if file == FILE_NAME));
        assert!(folded, "the log was folded into the database while we watched");
        cut_everywhere(&script, &mut random, survivors, &mut figures)
            .unwrap_or_else(|error| panic!("{plan:?}: {error}"));
    }
    let Figures { points, images, logs, failed } = figures;
    assert!(failed > 0, "no sync failed");
    campaign.report(&format!(
        "5 scripts of {operations} operations and more, {points} sync points, {images} images, {failed} failed syncs, \
         the log begun {logs} times, 0 lost"
    ));
}

/// The campaign can fail: on a disk that only pretends to sync, as `synchronous=OFF` would have it.
#[test]
fn a_disk_that_lies_about_syncs_is_noticed() {
    let mut random = Campaign::begin("power cuts, lying disk").random();
    let mut script = perform(SHORT, &mut random);
    // Every sync but the first of each file is a lie. The cut comes at the end of all.
    let mut seen = Vec::new();
    script.events.retain(|event| match event {
        Event::Sync { file, .. } if seen.contains(file) => false,
        Event::Sync { file, .. } => {
            seen.push(file.clone());
            true
        }
        _ => true,
    });
    let error = cut_everywhere(&script, &mut random, &[], &mut Figures::default()).expect_err("a lying disk loses");
    assert!(error.contains("lost"), "{error}");
}

/// And if answers left before their commit.
#[test]
fn an_answer_before_its_commit_is_noticed() {
    let mut random = Campaign::begin("power cuts, early answers").random();
    let mut script = perform(SHORT, &mut random);
    for one in &mut script.believed {
        // Every client knew of it when it knew of the step before.
        let times: Vec<usize> = one.states.iter().map(|state| state.at).collect();
        one.states.iter_mut().skip(1).zip(times).for_each(|(state, before)| state.at = before);
    }
    let error = cut_everywhere(&script, &mut random, &[Survivors::None], &mut Figures::default()).expect_err("a lie");
    assert!(error.contains("lost"), "{error}");
}

const SHORT: Plan = Plan { operations: 16, clients: 1, parts: 2, failing: false };
