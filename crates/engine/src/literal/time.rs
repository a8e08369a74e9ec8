//! Story time: dates in text, as milliseconds, without a clock and without time zones but the one that is written.

/// Milliseconds since 1970 of a date such as `2024-10-26`, `2024-10-26T20:00:00.000Z`, `2024/10/26 20:00` or
/// `2024年10月26日 20:00`. Text without a zone is UTC.
///
/// ```
/// use tavernkeep_engine::time::{format_iso, parse_time};
///
/// let time = parse_time("2024-10-26 20:00").unwrap();
/// assert_eq!(format_iso(time + 600_000), "2024-10-26T20:10:00.000Z");
/// assert_eq!(parse_time("Lv 5"), None);
/// ```
pub fn parse_time(text: &str) -> Option<i64> {
    let mut reader = Reader(text.trim());
    let year = reader.digits(4, 4)?;
    let separator = reader.any(&["-", "/", "年", "."])?;
    let month = reader.digits(1, 2)?;
    reader.any(&[if separator == "年" { "月" } else { separator }])?;
    let day = reader.digits(1, 2)?;
    if separator == "年" {
        reader.any(&["日"])?;
    }
    let mut milliseconds = days_from_civil(year, month, day)? * 86_400_000;
    if reader.any(&["T", " ", "t"]).is_some() {
        while reader.any(&[" "]).is_some() {}
        let hour = reader.digits(1, 2)?;
        reader.any(&[":", "：", "时"])?;
        let minute = reader.digits(2, 2)?;
        let (mut second, mut fraction) = (0, 0);
        if reader.any(&[":", "：", "分"]).is_some() && reader.0.starts_with(|c: char| c.is_ascii_digit()) {
            second = reader.digits(2, 2)?;
            if reader.any(&["."]).is_some() {
                fraction = reader.fraction()?;
            }
        }
        if hour > 24 || minute > 59 || second > 59 {
            return None;
        }
        milliseconds += ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
        milliseconds -= reader.zone()? * 60_000;
    }
    reader.0.is_empty().then_some(milliseconds)
}

/// Whether the text is a date as ISO 8601 writes it, with or without a time.
pub(crate) fn is_iso(text: &str) -> bool {
    parse_time(text).is_some() && text.is_ascii()
}

/// A time as ISO 8601 in UTC, as JavaScript writes it.
pub fn format_iso(milliseconds: i64) -> String {
    let days = milliseconds.div_euclid(86_400_000);
    let rest = milliseconds.rem_euclid(86_400_000);
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", rest % 1000)
}

struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let count = self.0.bytes().take(most).take_while(u8::is_ascii_digit).count();
        if count < least {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        digits.parse().ok()
    }

    fn any(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        let sign = signs.iter().find(|sign| self.0.starts_with(**sign))?;
        self.0 = &self.0[sign.len()..];
        Some(sign)
    }

    fn fraction(&mut self) -> Option<i64> {
        let count = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let digits: String = self.0[..count].chars().chain("000".chars()).take(3).collect();
        self.0 = &self.0[count..];
        if count == 0 { None } else { digits.parse().ok() }
    }

    /// The zone in minutes east of Greenwich.
    fn zone(&mut self) -> Option<i64> {
        if self.any(&["Z", "z"]).is_some() {
            return Some(0);
        }
        let Some(sign) = self.any(&["+", "-"]) else { return Some(0) };
        let hours = self.digits(2, 2)?;
        self.any(&[":"]);
        let minutes = self.digits(2, 2)?;
        let zone = hours * 60 + minutes;
        Some(if sign == "-" { -zone } else { zone })
    }
}

/// Days since 1970 in the Gregorian calendar, which repeats every 400 years of 146,097 days.
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
