//! The part of variables' names that is a call's own: a moment and chance, as note applications number blocks.

use crate::{RuntimeResult, random_bytes};

/// The time in UTC as fourteen digits, and seven letters or digits of chance.
pub(super) fn node_id(now: i64) -> RuntimeResult<String> {
    const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut random = [0; 7];
    random_bytes(&mut random)?;
    let chance: String = random.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % 36])).collect();
    let (days, seconds) = (now.div_euclid(86_400_000), now.div_euclid(1_000).rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    Ok(format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}-{chance}"))
}

/// The date of a day since 1970.
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
