//! When a message was sent. SillyTavern has written that in many ways over the years.
//!
//! ```text
//! 2025-01-02T03:04:05.678Z          since 1.13
//! September 28, 2024 1:00am         until then
//! 2023-7-12@01h31m58s123ms          older; with or without ms, with blanks around the parts
//! 1727485200000, "1727485200000"    imports from other programs; seconds too
//! ```
//!
//! A time without a zone is taken as UTC: the file does not say where it was written.

use crate::document::Value;
use crate::literal::time::{days_from_civil, parse_time};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Numbers below this are seconds: as milliseconds they would be before 1973, when nobody chatted.
const SECONDS_BELOW: f64 = 1e11;

/// Numbers above this are no times: the year 5138.
const MILLISECONDS_MAX: f64 = 1e14;

/// Milliseconds since 1970 of a `send_date`, if it can be understood.
pub fn read_date(date: &Value) -> Option<i64> {
    match date {
        Value::Number(number) => from_number(number.as_f64()),
        Value::String(text) => read_text(text.trim()),
        _ => None,
    }
}

fn from_number(number: f64) -> Option<i64> {
    let milliseconds = if number < SECONDS_BELOW { number * 1000.0 } else { number };
    (number > 0.0 && milliseconds < MILLISECONDS_MAX).then_some(milliseconds as i64)
}

fn read_text(text: &str) -> Option<i64> {
    if text.len() > 64 {
        return None;
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return from_number(text.parse().ok()?);
    }
    parse_time(text).or_else(|| named_month(text)).or_else(|| humanized(text))
}

/// `September 28, 2024 1:00am`, also with seconds or 24 hours.
fn named_month(text: &str) -> Option<i64> {
    let lower = text.to_lowercase().replace(',', " ");
    let mut words = lower.split_whitespace();
    let name = words.next()?;
    let month = MONTHS.iter().position(|month| *month == name || (name.len() == 3 && month.starts_with(name)))? + 1;
    let day: i64 = words.next()?.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']).parse().ok()?;
    let year: i64 = words.next()?.parse().ok()?;
    let clock: String = words.collect();
    let (clock, noon) = match clock.strip_suffix("am").map(|clock| (clock, Some(0))) {
        Some(morning) => morning,
        None => clock.strip_suffix("pm").map_or((clock.as_str(), None), |clock| (clock, Some(12))),
    };
    let mut parts = clock.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute) = (parts.next()??, parts.next().unwrap_or(Some(0))?);
    let second = parts.next().unwrap_or(Some(0))?;
    let hour = match noon {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(noon) => hour % 12 + noon,
        None => hour,
    };
    time_of([year, month as i64, day], [hour, minute, second, 0])
}

/// `2023-7-12@01h31m58s123ms`.
fn humanized(text: &str) -> Option<i64> {
    let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let (day, clock) = text.split_once('@')?;
    let mut day = day.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let day = [day.next()??, day.next()??, day.next()??];
    let (hour, rest) = clock.split_once('h')?;
    let (minute, rest) = rest.split_once('m')?;
    let (second, rest) = rest.split_once('s')?;
    let rest = rest.strip_suffix("ms").unwrap_or(rest);
    let millisecond = if rest.is_empty() { "0" } else { rest };
    let number = |part: &str| part.parse::<i64>().ok();
    time_of(day, [number(hour)?, number(minute)?, number(second)?, number(millisecond)?])
}

fn time_of([year, month, day]: [i64; 3], [hour, minute, second, millisecond]: [i64; 4]) -> Option<i64> {
    let in_range = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
    let in_range = in_range && (0..1000).contains(&millisecond) && (1970..9999).contains(&year);
    let days = days_from_civil(year, month, day).filter(|_| in_range)?;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::format_iso;

    #[test]
    fn every_spelling_that_was_ever_written_is_read() {
        for (written, read) in [
            (r#""2025-01-02T03:04:05.678Z""#, "2025-01-02T03:04:05.678Z"),
            (r#""2025-01-02T03:04:05+08:00""#, "2025-01-01T19:04:05.000Z"),
            (r#""September 28, 2024 1:00am""#, "2024-09-28T01:00:00.000Z"),
            (r#""september 28, 2024 12:00 AM""#, "2024-09-28T00:00:00.000Z"),
            (r#""Sep 28, 2024 12:30pm""#, "2024-09-28T12:30:00.000Z"),
            (r#""June 1st, 2023 23:59""#, "2023-06-01T23:59:00.000Z"),
            (r#""2023-7-12@01h31m58s""#, "2023-07-12T01:31:58.000Z"),
            (r#""2023-07-12 @01h 31m 58s 123ms""#, "2023-07-12T01:31:58.123Z"),
            ("1727485200000", "2024-09-28T01:00:00.000Z"),
            ("1727485200", "2024-09-28T01:00:00.000Z"),
            (r#""1727485200000""#, "2024-09-28T01:00:00.000Z"),
            ("1727485200123.5", "2024-09-28T01:00:00.123Z"),
        ] {
            let value = Value::parse(written).unwrap();
            assert_eq!(read_date(&value).map(format_iso).as_deref(), Some(read), "{written}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for written in [
            r#""""#,
            r#""yesterday""#,
            r#""September 31, 2024 1:00am""#,
            r#""September 28, 2024 13:00am""#,
            "0",
            "-5",
            "1e30",
            r#""2023-7-12@25h31m58s""#,
            "null",
            "{}",
            r#""2023-13-12@01h31m58s""#,
            r#""@h m s""#,
            r#""99999999999999999999999""#,
        ] {
            assert_eq!(read_date(&Value::parse(written).unwrap()), None, "{written}");
        }
    }
}
