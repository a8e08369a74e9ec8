//! The functions that a card brings along: `data.extensions.st_var_system.functions`.

use crate::document::Value;
use crate::library::{FunctionType, LibraryFunction, Timing};

/// A function of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFunction {
    /// Its id, as the card has it.
    pub id: Option<String>,
    /// Whether it runs.
    pub enabled: bool,
    /// The function.
    pub function: LibraryFunction,
}

impl CardFunction {
    /// Reads a function; says what is wrong with it otherwise.
    pub fn read(entry: &Value) -> Result<CardFunction, String> {
        let text = |key| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = match text("type").as_deref() {
            Some("active") => FunctionType::Active,
            Some("passive") => FunctionType::Passive,
            _ => return Err("`type` must be active or passive".to_owned()),
        };
        let timing = match text("timing").as_deref() {
            Some("before_active") => Some(Timing::BeforeActive),
            // Where nothing is said it runs at the end, when the commands have been done.
            Some("after_active") => Some(Timing::AfterActive),
            _ => (kind == FunctionType::Passive).then_some(Timing::AfterActive),
        };
        let order = entry.get("order").and_then(Value::as_number).and_then(super::super::json::number::Number::as_i64);
        let function = LibraryFunction {
            name: text("name").unwrap_or_default(),
            kind,
            order: order.unwrap_or(0),
            pattern: text("pattern"),
            timing,
            description: text("description").unwrap_or_default(),
            signature: text("signature"),
            example: text("example"),
            executor: text("executor").unwrap_or_default(),
        };
        let function = function.tidied();
        function.check().map_err(|wrong| format!("`{}` {}", wrong.field, wrong.message))?;
        let enabled = entry.get("enabled").and_then(Value::as_bool) != Some(false);
        Ok(CardFunction { id: text("id"), enabled, function })
    }

    /// The function as a card has it.
    pub fn written(&self) -> Value {
        let function = &self.function;
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        let kind = match function.kind {
            FunctionType::Active => "active",
            FunctionType::Passive => "passive",
        };
        let timing = function.timing.map(|timing| match timing {
            Timing::BeforeActive => "before_active",
            Timing::AfterActive => "after_active",
        });
        let members = [
            ("id", text(&self.id)),
            ("name", Some(Value::from(function.name.as_str()))),
            ("type", Some(Value::from(kind))),
            ("enabled", Some(Value::Bool(self.enabled))),
            ("order", Some(Value::from(function.order))),
            ("pattern", text(&function.pattern)),
            ("timing", timing.map(Value::from)),
            ("description", Some(Value::from(function.description.as_str()))),
            ("signature", text(&function.signature)),
            ("example", text(&function.example)),
            ("executor", Some(Value::from(function.executor.as_str()))),
        ];
        members.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}
