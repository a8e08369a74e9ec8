//! Story time that passes: a written time in, the same form with the later time out.

use tavernkeep_engine::time::{format_iso, parse_time};

const DAY_MS: i64 = 86_400_000;

/// A time that is written as ISO 8601 or as `2024年10月26日 20:00`, later by so many milliseconds. The form stays: separators,
/// digits, zone. Text that is only a date gets a time of day when whole days are not enough.
///
/// `None` for text that is no time, or when the result has no year of four digits.
pub(crate) fn shift_time(text: &str, by_ms: f64) -> Option<String> {
    let before = parse_time(text)?;
    if by_ms.abs() > 4e14 {
        return None;
    }
    // Truncation cannot happen: the amount is far below 2^53.
    #[allow(clippy::cast_possible_truncation)]
    let after = before.checked_add(by_ms.round() as i64)?;
    let runs = digit_runs(text);
    // The text shows the time of its zone.
    let shown = zone_ms(text, &runs);
    let iso = format_iso(after + shown);
    // Years with more or fewer digits than four do not fit the form.
    if iso.find('-') != Some(4) {
        return None;
    }
    let fields = digit_runs(&iso);
    let padded = pads_date(text, &runs);
    let count = runs.len().min(if has_zone(text, &runs) { zone_start(text, &runs) } else { runs.len() });
    let mut shifted = String::with_capacity(text.len() + 6);
    let mut at = 0;
    for (number, (run, field)) in runs.iter().take(count).zip(&fields).enumerate() {
        shifted.push_str(&text[at..run.start]);
        let digits = &iso[field.clone()];
        // A fraction begins with its highest digit, everything else may be written without leading zeros.
        if run.start > 0 && text[..run.start].ends_with('.') && fields.last() == Some(field) {
            let exact = format!("{digits:0<width$}", width = run.len());
            shifted.push_str(&exact[..run.len()]);
        } else {
            let plain = digits.trim_start_matches('0');
            let width = if (1..3).contains(&number) && !padded { 1 } else { run.len() };
            shifted.push_str(&format!("{plain:0>width$}"));
        }
        at = run.end;
    }
    shifted.push_str(&text[at..]);
    if runs.len() == 3 && after.rem_euclid(DAY_MS) != 0 {
        let length = shifted.trim_end().len();
        shifted.truncate(length);
        shifted.push_str(&format!(" {}", &iso[11..16]));
    }
    Some(shifted)
}

/// Where digits stand.
fn digit_runs(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        let _ = byte;
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Whether month and day are written with two digits. Where the text does not show it, the Chinese form has no leading zeros.
fn pads_date(text: &str, runs: &[std::ops::Range<usize>]) -> bool {
    let mut date = runs.iter().skip(1).take(2).map(|run| &text[run.clone()]);
    match (date.clone().any(|digits| digits.len() == 1), date.any(|digits| digits.starts_with('0'))) {
        (true, _) => false,
        (false, true) => true,
        (false, false) => !text.contains('年'),
    }
}

/// The number of the run that begins the zone.
fn zone_start(text: &str, runs: &[std::ops::Range<usize>]) -> usize {
    let signed = |run: &std::ops::Range<usize>| text[..run.start].ends_with(['+', '-']);
    // Date and time have at least five runs before a zone: a dash further in front belongs to the date.
    runs.iter().skip(4).position(signed).map_or(runs.len(), |found| found + 4)
}

fn has_zone(text: &str, runs: &[std::ops::Range<usize>]) -> bool {
    zone_start(text, runs) < runs.len()
}

/// How far the zone of a text is east of Greenwich.
fn zone_ms(text: &str, runs: &[std::ops::Range<usize>]) -> i64 {
    let start = zone_start(text, runs);
    let Some(first) = runs.get(start) else { return 0 };
    let digits: String = text[first.start..].chars().filter(char::is_ascii_digit).collect();
    let number =
        |range: std::ops::Range<usize>| digits.get(range).and_then(|part| part.parse::<i64>().ok()).unwrap_or(0);
    let minutes = number(0..2) * 60 + number(2..4);
    let sign = if text[..first.start].ends_with('-') { -1 } else { 1 };
    sign * minutes * 60_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_stays() {
        for (text, hours, expected) in [
            ("2024年10月26日 20:00", 1.0, "2024年10月26日 21:00"),
            ("2024年10月26日 20:00", 5.0, "2024年10月27日 01:00"),
            ("2024年10月31日 20:00", 24.0, "2024年11月1日 20:00"),
            ("2024年09月30日 20:00", 24.0, "2024年10月01日 20:00"),
            ("2024年1月31日 9:05", 24.0, "2024年2月1日 9:05"),
            ("2024-10-26T20:00:00Z", 0.5, "2024-10-26T20:30:00Z"),
            ("2024-10-26T20:00:00.000Z", 1.0, "2024-10-26T21:00:00.000Z"),
            ("2024-10-26T20:00:00.5Z", 1.0, "2024-10-26T21:00:00.5Z"),
            ("2024-10-26T23:30:00+08:00", 1.0, "2024-10-27T00:30:00+08:00"),
            ("2024-10-26T00:30:00-03:30", -1.0, "2024-10-25T23:30:00-03:30"),
            ("2024/10/26 20:00", 12.0, "2024/10/27 08:00"),
            ("2024-12-31", 24.0, "2025-01-01"),
            ("2024-12-31", 1.0, "2024-12-31 01:00"),
            ("2024年12月31日", 1.0, "2024年12月31日 01:00"),
            ("2024年10月26日 20时30分", 1.0, "2024年10月26日 21时30分"),
            ("2024.2.28 20：15", 24.0, "2024.2.29 20：15"),
        ] {
            assert_eq!(shift_time(text, hours * 3_600_000.0).as_deref(), Some(expected), "{text}");
        }
        for text in ["Lv 5", "", "20:00", "2024-13-01"] {
            assert_eq!(shift_time(text, 1.0), None, "{text}");
        }
        assert_eq!(shift_time("9999-12-31", 86_400_000.0), None);
        assert_eq!(shift_time("2024-10-26", 1e300), None);
    }
}
