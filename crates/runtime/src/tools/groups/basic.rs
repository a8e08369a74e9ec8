//! The group `basic`: the time, arithmetic, and chance that can be repeated.

use crate::now_ms;
use crate::tools::{Tool, ToolCall, ToolError, ToolGroup, ToolOutput};
use serde_json::{Value, json};
use tavernkeep_engine::literal::evaluate;

/// The group.
pub fn group() -> ToolGroup {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let time = json!({ "type": "object", "properties": { "offset_minutes": { "type": "integer", "description": "Minutes east of UTC; default 0." } } });
    let calculate = json!({ "type": "object", "properties": { "expression": text("Numbers with + - * / % ^, parentheses, and min, max, abs, round, floor, ceil.") }, "required": ["expression"] });
    let random = json!({
        "type": "object",
        "properties": {
            "min": { "type": "integer", "description": "Default 1." }, "max": { "type": "integer", "description": "Default 6." },
            "count": { "type": "integer", "description": "How many numbers, at most 1000; default 1." },
            "seed": text("The same seed gives the same numbers; left out, they are chance."),
        },
    });
    ToolGroup::new(
        "basic",
        vec![
            Tool::new("datetime", "Tells the date and the time.", time, datetime).without_truncation().without_cache(),
            Tool::new("calculate", "Computes an arithmetic expression.", calculate, arithmetic).without_cache(),
            Tool::new("random", "Draws whole numbers, from a seed if one is given.", random, draw).without_cache(),
        ],
    )
}

async fn datetime(call: ToolCall) -> Result<ToolOutput, ToolError> {
    let offset = call.args.get("offset_minutes").and_then(Value::as_i64).unwrap_or(0);
    if !(-24 * 60..=24 * 60).contains(&offset) {
        return Err(ToolError::failed("offset_minutes must be within a day"));
    }
    Ok(ToolOutput::of(written(now_ms(), offset)))
}

/// A moment as RFC 3339 writes it.
fn written(now: i64, offset_minutes: i64) -> String {
    let local = now + offset_minutes * 60_000;
    let (year, month, day) = crate::tools::civil(local.div_euclid(86_400_000));
    let seconds = local.div_euclid(1_000).rem_euclid(86_400);
    let zone = match offset_minutes {
        0 => "Z".to_owned(),
        _ => {
            let sign = if offset_minutes < 0 { '-' } else { '+' };
            format!("{sign}{:02}:{:02}", offset_minutes.abs() / 60, offset_minutes.abs() % 60)
        }
    };
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{zone}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

async fn arithmetic(call: ToolCall) -> Result<ToolOutput, ToolError> {
    let expression = call.args.get("expression").and_then(Value::as_str).unwrap_or_default();
    let result = evaluate(expression).ok_or_else(|| ToolError::failed(format!("'{expression}' cannot be computed")))?;
    let text = result.to_string();
    Ok(ToolOutput::of(serde_json::from_str::<Value>(&text).unwrap_or(Value::String(text))))
}

async fn draw(call: ToolCall) -> Result<ToolOutput, ToolError> {
    let number = |name: &str, default: i64| call.args.get(name).and_then(Value::as_i64).unwrap_or(default);
    let (min, max, count) = (number("min", 1), number("max", 6), number("count", 1));
    if min > max || !(1..=1_000).contains(&count) {
        return Err(ToolError::failed("min must not be above max, and count is 1 to 1000"));
    }
    let seed = match call.args.get("seed") {
        Some(Value::String(seed)) => seed.clone(),
        Some(other) if !other.is_null() => other.to_string(),
        _ => call.id.to_string(),
    };
    let mut reader = blake3::Hasher::new().update(seed.as_bytes()).finalize_xof();
    let span = i128::from(max) - i128::from(min) + 1;
    let drawn: Vec<i64> = (0..count)
        .map(|_| {
            let mut bytes = [0; 16];
            reader.fill(&mut bytes);
            // 127 bits over a span of 64: the bias is far below what anybody can measure.
            let chance = (u128::from_le_bytes(bytes) >> 1) as i128 % span;
            i64::try_from(i128::from(min) + chance).unwrap_or(min)
        })
        .collect();
    Ok(ToolOutput::of(if count == 1 { json!(drawn[0]) } else { json!(drawn) }))
}
