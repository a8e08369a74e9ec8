//! Time and chance. Both arrive as values, so the same prompt with the same seed is the same text.

use super::evaluate::{Args, Evaluation};
use super::warning::{Failure, WarningCode};
use crate::literal::time::format_iso;
use std::borrow::Cow;
use std::ops::Range;

/// Dice of one roll, and sides of each.
const DICE_MAX: u64 = 1_000;
const SIDES_MAX: u64 = 1_000_000;

/// A part of the time in ISO 8601, as it is at the place of the reader.
pub(super) fn time(evaluation: &mut Evaluation<'_>, part: Range<usize>, out: &mut String) -> Result<(), Failure> {
    let written = format_iso(local_ms(evaluation));
    evaluation.put(out, written.get(part).unwrap_or_default())
}

pub(super) fn weekday(evaluation: &mut Evaluation<'_>, _: &Args<'_>, out: &mut String) -> Result<(), Failure> {
    let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
    let day = usize::try_from(local_ms(evaluation).div_euclid(86_400_000).rem_euclid(7)).unwrap_or(0);
    evaluation.put(out, names[day])
}

fn local_ms(evaluation: &Evaluation<'_>) -> i64 {
    let context = &evaluation.context;
    context.now_ms.saturating_add(i64::from(context.utc_offset_minutes) * 60_000)
}

pub(super) fn random(evaluation: &mut Evaluation<'_>, args: &Args<'_>, out: &mut String) -> Result<(), Failure> {
    evaluation.draws += 1;
    let number = mix(evaluation.context.seed ^ mix(evaluation.draws));
    choose(evaluation, args, number, out)
}

pub(super) fn pick(evaluation: &mut Evaluation<'_>, args: &Args<'_>, out: &mut String) -> Result<(), Failure> {
    let place = mix((evaluation.message_index as u64) << 32 | args.span.start as u64);
    let number = mix(evaluation.context.seed ^ mix(place));
    choose(evaluation, args, number, out)
}

/// One of the arguments; a single one is a list with commas.
fn choose(evaluation: &mut Evaluation<'_>, args: &Args<'_>, number: u64, out: &mut String) -> Result<(), Failure> {
    let choices: Vec<Cow<'_, str>> = match args.values.as_slice() {
        [list] => list.split(',').map(|choice| choice.trim().into()).collect(),
        several => several.to_vec(),
    };
    let chosen = choices.get(usize::try_from(number % choices.len().max(1) as u64).unwrap_or(0));
    evaluation.put(out, chosen.map_or("", |chosen| chosen))
}

pub(super) fn roll(evaluation: &mut Evaluation<'_>, args: &Args<'_>, out: &mut String) -> Result<(), Failure> {
    let Some((dice, sides, plus)) = dice(args.text(0)).filter(|_| args.values.len() == 1) else {
        let message = format!("{:?} are no dice; write them as 2d6+1, at most {DICE_MAX}d{SIDES_MAX}", args.text(0));
        return Failure::err(WarningCode::WrongKind, message);
    };
    let mut sum = plus;
    for _ in 0..dice {
        evaluation.draws += 1;
        let number = mix(evaluation.context.seed ^ mix(evaluation.draws)) % sides + 1;
        sum += i64::try_from(number).unwrap_or(0);
    }
    evaluation.put(out, &sum.to_string())
}

/// `6`, `d6`, `2d6`, `2d6+1`: how many dice, how many sides, what is added.
fn dice(text: &str) -> Option<(u64, u64, i64)> {
    let (dice, plus) = match text.find(['+', '-']) {
        Some(at) => (&text[..at], text[at..].trim_start_matches('+').parse().ok()?),
        None => (text, 0_i64),
    };
    let (count, sides) = match dice.split_once(['d', 'D']) {
        Some(("", sides)) => (1, sides.trim().parse().ok()?),
        Some((count, sides)) => (count.trim().parse().ok()?, sides.trim().parse().ok()?),
        None => (1, dice.trim().parse().ok()?),
    };
    let fits = (1..=DICE_MAX).contains(&count) && (1..=SIDES_MAX).contains(&sides) && plus.unsigned_abs() <= SIDES_MAX;
    fits.then_some((count, sides, plus))
}

/// One step of SplitMix64: spreads the bits of a number.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
