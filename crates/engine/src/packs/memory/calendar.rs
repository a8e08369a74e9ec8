//! The story's calendar: dates, times of day, and the days between two of them.
//!
//! ```text
//! date    03月05日  2024-03-05  2024年03月05日       the first has no year; `纪年` may know it
//! time    20:15                                    what stands behind it does not count
//! ```
//!
//! Months have their real lengths. Where the year is not known, a date more than half a year back is the next year's: New Year
//! moves forward, not back.

use super::STATUS;
use super::place::plain;
use crate::document::Value;
use crate::limits::STORY_YEAR_MAX;

/// A date as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    year: Option<i64>,
    month: i64,
    day: i64,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    MonthDay,
    YearMonthDay,
    Iso,
}

/// A year is wrapped around where a date would lie further back than this.
const HALF_YEAR: i64 = 182;

impl Date {
    /// Reads a date; none for what is no date of any year.
    pub(super) fn read(text: &str) -> Option<Date> {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let (year, month, day, form) = match text.split_once('年') {
            Some((year, rest)) => {
                let (month, day) = month_day(rest)?;
                (Some(digits(year)?), month, day, Form::YearMonthDay)
            }
            None if text.contains('月') => {
                let (month, day) = month_day(&text)?;
                (None, month, day, Form::MonthDay)
            }
            None => {
                let mut parts = text.split('-');
                let date = (digits(parts.next()?)?, digits(parts.next()?)?, digits(parts.next()?)?);
                if parts.next().is_some() {
                    return None;
                }
                (Some(date.0), date.1, date.2, Form::Iso)
            }
        };
        let date = Date { year, month, day, form };
        // Without a year every year may be meant, leap years too.
        let in_year = year.unwrap_or(4);
        ((1..=12).contains(&month) && (1..=month_length(in_year, month)).contains(&day) && in_year <= STORY_YEAR_MAX)
            .then_some(date)
    }

    /// The date that comes so many days later, written the same way, and whether a new year has begun.
    pub(super) fn plus_days(self, days: i64, known_year: Option<i64>) -> (String, bool) {
        let year = self.year.or(known_year).unwrap_or(COMMON_YEAR);
        let (new_year, month, day) = civil(day_number(year, self.month, self.day) + days);
        let text = match self.form {
            Form::MonthDay => format!("{month:02}月{day:02}日"),
            Form::YearMonthDay => format!("{new_year}年{month:02}月{day:02}日"),
            Form::Iso => format!("{new_year:04}-{month:02}-{day:02}"),
        };
        (text, new_year != year)
    }

    /// Whether this year has the day. A date that names its year was checked when it was read.
    pub(super) fn is_in(self, year: i64) -> bool {
        self.has_year() || self.day <= month_length(year, self.month)
    }

    /// Whether the date itself says which year it is in.
    pub(super) fn has_year(self) -> bool {
        self.year.is_some()
    }

    fn is_before(self, other: Date) -> bool {
        (self.month, self.day) < (other.month, other.day)
    }
}

/// A year without a leap day.
const COMMON_YEAR: i64 = 2001;

fn month_day(text: &str) -> Option<(i64, i64)> {
    let (month, rest) = text.split_once('月')?;
    let day = rest.strip_suffix(['日', '号']).unwrap_or(rest);
    Some((digits(month)?, digits(day)?))
}

fn digits(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.len() <= 7 && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// The minutes since midnight of a time of day.
pub(super) fn minutes(text: &str) -> Option<i64> {
    let (hours, rest) = text.trim().split_once([':', '：'])?;
    let end = rest.bytes().take_while(u8::is_ascii_digit).count();
    if hours.len() > 2 || end != 2 {
        return None;
    }
    let (hours, minutes) = (digits(hours)?, digits(&rest[..end])?);
    (hours <= 23 && minutes <= 59).then_some(hours * 60 + minutes)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The number of a day, counted from 1970.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number.
fn civil(number: i64) -> (i64, i64, i64) {
    let number = number + 719_468;
    let era = number.div_euclid(146_097);
    let day_of_era = number.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (day, month) = (day_of_year - (153 * shifted + 2) / 5 + 1, (shifted + 2) % 12 + 1);
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The day that a document says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Today {
    pub(super) date: Date,
    /// The year that `纪年` counts.
    pub(super) era: Option<i64>,
}

impl Today {
    pub(super) fn of(document: &Value) -> Option<Today> {
        let status = document.get(STATUS)?;
        let date = Date::read(plain(status.get("日期")?).as_str()?)?;
        Some(Today { date, era: status.get("纪年").and_then(era) })
    }

    /// Whether `纪年` counts a year that has no such day, as `02月29日` in a common year.
    pub(super) fn is_impossible(self) -> bool {
        self.era.is_some_and(|year| !self.date.is_in(year))
    }

    fn year(self) -> Option<i64> {
        self.date.year.or(self.era)
    }

    /// The days from this day to another; negative where that lies before it.
    pub(super) fn days_until(self, other: Today) -> i64 {
        let (from, to) = (self.date, other.date);
        match (self.year(), other.year()) {
            (Some(year), Some(other_year)) if year != other_year || (from.has_year() && to.has_year()) => {
                day_number(other_year, to.month, to.day) - day_number(year, from.month, from.day)
            }
            (year, _) => {
                let (days, length) = days_in_year(year, from, to);
                if days < -HALF_YEAR { days + length } else { days }
            }
        }
    }

    /// Whether a new year has begun between two days without anybody saying so.
    pub(super) fn passes_new_year(self, other: Today) -> bool {
        !other.date.has_year() && self.era == other.era && other.date.is_before(self.date) && self.days_until(other) > 0
    }
}

/// The days from one date to another of the same year, and how many the year has.
fn days_in_year(year: Option<i64>, from: Date, to: Date) -> (i64, i64) {
    let is_leap_day = |date: Date| date.month == 2 && date.day == 29;
    let year = match year {
        Some(year) => year,
        None if is_leap_day(from) || is_leap_day(to) => 2000,
        None => COMMON_YEAR,
    };
    let days = day_number(year, to.month, to.day) - day_number(year, from.month, from.day);
    (days, if is_leap(year) { 366 } else { 365 })
}

/// The days since a date of which only month and day may be known. Of all years that it can be in, the one is meant that
/// comes nearest to what is expected.
pub(super) fn days_since(start: Date, today: Today, expected: i64) -> i64 {
    if let (Some(year), Some(now)) = (start.year, today.year()) {
        return day_number(now, today.date.month, today.date.day) - day_number(year, start.month, start.day);
    }
    let (days, length) = days_in_year(today.era, start, today.date);
    let years = ((expected - days) + length / 2).div_euclid(length).max(0);
    days + years * length
}

/// The days that a turn has passed; none where one of its dates cannot be read.
pub(super) fn days_passed(before: &Value, after: &Value) -> Option<i64> {
    Some(Today::of(before)?.days_until(Today::of(after)?))
}

/// The year that a value counts: a number, or the first digits of a text such as `新历 12 年`.
fn era(value: &Value) -> Option<i64> {
    match plain(value) {
        Value::Number(number) => number.as_i64().filter(|year| (0..=STORY_YEAR_MAX).contains(year)),
        Value::String(text) => era_digits(text).and_then(|(start, end)| digits(&text[start..end])),
        _ => None,
    }
}

/// Where the first digits of a text stand.
fn era_digits(text: &str) -> Option<(usize, usize)> {
    let start = text.find(|letter: char| letter.is_ascii_digit())?;
    let length = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    Some((start, start + length))
}

/// The next year, written as this one; none where it counts no years.
pub(super) fn next_era(value: &Value) -> Option<Value> {
    let year = era(value)? + 1;
    match plain(value) {
        Value::String(text) => {
            let (start, end) = era_digits(text)?;
            Some(Value::from(format!("{}{year:0width$}{}", &text[..start], &text[end..], width = end - start)))
        }
        _ => Some(Value::from(year)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Date, Today, civil, day_number, days_since, minutes};

    fn today(text: &str, era: Option<i64>) -> Today {
        Today { date: Date::read(text).unwrap(), era }
    }

    fn days(from: &str, to: &str) -> i64 {
        today(from, None).days_until(today(to, None))
    }

    #[test]
    fn days_are_counted_with_real_months() {
        assert_eq!(days("02月28日", "03月01日"), 1);
        assert_eq!(days("02月28日", "02月29日"), 1);
        assert_eq!(days("2024-02-28", "2024-03-01"), 2);
        assert_eq!(days("04月30日", "05月01日"), 1);
        assert_eq!(days("12月31日", "01月01日"), 1);
        assert_eq!(days("12月30日", "1月2日"), 3);
        assert_eq!(days("05月10日", "05月08日"), -2);
        assert_eq!(days("2023-12-31", "2025-01-01"), 367);
        assert_eq!(today("12月31日", Some(3)).days_until(today("01月01日", Some(3))), 1);
        assert_eq!(today("12月31日", Some(3)).days_until(today("01月01日", Some(4))), 1);
        assert_eq!(today("02月28日", Some(2024)).days_until(today("03月01日", Some(2024))), 2);
    }

    #[test]
    fn numbers_of_days_go_both_ways() {
        for number in (-800_000..800_000).step_by(137) {
            let (year, month, day) = civil(number);
            assert_eq!(day_number(year, month, day), number);
        }
        assert_eq!(civil(0), (1970, 1, 1));
    }

    #[test]
    fn days_since_a_date_without_a_year_follow_what_is_expected() {
        let start = Date::read("12月30日").unwrap();
        assert_eq!(days_since(start, today("01月02日", None), 0), 3);
        assert_eq!(days_since(start, today("12月28日", None), -2), -2);
        assert_eq!(days_since(start, today("12月31日", None), 366), 366);
    }

    #[test]
    fn what_is_no_date_is_not_read() {
        for text in ["", "明天", "13月01日", "02月30日", "00月10日", "2023-02-29", "2024-1", "1-2-3-4", "月日"]
        {
            assert!(Date::read(text).is_none(), "{text}");
        }
        for (text, expected) in
            [("8:05", Some(485)), ("23:59 夜", Some(1439)), ("24:00", None), ("8:5", None), ("夜", None)]
        {
            assert_eq!(minutes(text), expected, "{text}");
        }
    }

    #[test]
    fn the_next_day_is_written_the_same_way() {
        assert_eq!(Date::read("1月3日").unwrap().plus_days(1, None), ("01月04日".to_owned(), false));
        assert_eq!(Date::read("12月31日").unwrap().plus_days(1, None), ("01月01日".to_owned(), true));
        assert_eq!(Date::read("02月28日").unwrap().plus_days(1, Some(2024)), ("02月29日".to_owned(), false));
        assert_eq!(Date::read("2023-12-31").unwrap().plus_days(1, None), ("2024-01-01".to_owned(), true));
    }
}
