//! Lists of variables: filters, order, pages, and the text that a model reads.

use super::variable::{VarType, Variable};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Items of a page unless the call says otherwise.
pub const PAGE_SIZE: i64 = 25;

/// Which variables are wanted. All parts must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only of this type.
    pub kind: Option<VarType>,
    /// Only with exactly this tag.
    pub tag: Option<String>,
    /// Only with this in their name or description, in any case.
    pub search: Option<String>,
}

impl Filter {
    /// The variables that the filter lets through, the last visited first; equal ones by name.
    pub fn select(&self, variables: Vec<Variable>) -> Vec<Variable> {
        let search = self.search.as_ref().map(|search| search.to_lowercase());
        let mut selected: Vec<Variable> =
            variables.into_iter().filter(|variable| self.lets_through(variable, search.as_deref())).collect();
        selected
            .sort_by(|one, other| other.last_visited.cmp(&one.last_visited).then_with(|| one.name.cmp(&other.name)));
        selected
    }

    fn lets_through(&self, variable: &Variable, search: Option<&str>) -> bool {
        let has = |text: &str, search: &str| text.to_lowercase().contains(search);
        self.kind.is_none_or(|kind| kind == variable.kind)
            && self.tag.as_ref().is_none_or(|tag| variable.tags.contains(tag))
            && search.is_none_or(|search| {
                has(&variable.name, search) || variable.desc.as_ref().is_some_and(|desc| has(desc, search))
            })
    }

    /// The filter as JSON, as a call has it.
    fn to_json(&self) -> Value {
        let mut object = Map::new();
        if let Some(kind) = self.kind {
            object.insert("type".into(), kind.as_str().into());
        }
        for (name, text) in [("search", &self.search), ("tag", &self.tag)] {
            if let Some(text) = text {
                object.insert(name.into(), text.as_str().into());
            }
        }
        Value::Object(object)
    }

    fn describe(&self) -> String {
        let parts: Vec<String> = [
            self.kind.map(|kind| format!("type={}", kind.as_str())),
            self.search.as_ref().map(|search| format!("search=\"{search}\"")),
            self.tag.as_ref().map(|tag| format!("tag=\"{tag}\"")),
        ]
        .into_iter()
        .flatten()
        .collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!(" (filtered: {})", parts.join(", ")),
        }
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its variables.
    pub items: Vec<Variable>,
    /// Its number, from 1.
    pub page: i64,
    /// Items of a full page.
    pub page_size: i64,
    /// How many pages there are, at least one.
    pub pages: i64,
    /// How many variables there are on all of them.
    pub total: i64,
}

/// Cuts one page out of a list. Numbers below 1 are read as 1.
#[allow(clippy::cast_possible_wrap, clippy::cast_sign_loss, clippy::cast_possible_truncation)]
pub fn page(listed: Vec<Variable>, page: i64, page_size: i64) -> Page {
    let (page, page_size) = (page.max(1), page_size.max(1));
    let total = listed.len() as i64;
    let pages = ((total - 1).max(0) / page_size) + 1;
    let skip = (page - 1).saturating_mul(page_size).min(total) as usize;
    let items = listed.into_iter().skip(skip).take(page_size.min(total.max(1)) as usize).collect();
    Page { items, page, page_size, pages, total }
}

/// The page as structured data.
pub fn to_json(page: &Page) -> Value {
    let items: Vec<Value> = page
        .items
        .iter()
        .map(|variable| {
            json!({
                "name": variable.name, "length": variable.length, "desc": variable.desc,
                "type": variable.kind.as_str(), "tags": variable.tags,
            })
        })
        .collect();
    json!({ "variables": items, "page": page.page, "pageSize": page.page_size, "totalPages": page.pages, "total": page.total })
}

/// The page as a model reads it.
pub fn to_text(page: &Page, filter: &Filter) -> String {
    let mut text = format!("Available Variables{}:\n", filter.describe());
    for variable in &page.items {
        let desc = variable.desc.as_deref().filter(|desc| !desc.is_empty()).unwrap_or("N/A");
        let _ = write!(
            text,
            "- {}\n  - Type: {}; Len: {}\n  - Desc: {desc}\n",
            variable.name,
            variable.kind.as_str(),
            variable.length
        );
        if !variable.tags.is_empty() {
            let _ = writeln!(text, "  - Tags: [{}]", variable.tags.join(", "));
        }
    }
    let _ = write!(text, "\nPage {}/{} (total: {}).", page.page, page.pages, page.total);
    if page.page < page.pages {
        let next = json!({ "filter": filter.to_json(), "page": page.page + 1, "pageSize": page.page_size });
        let _ = write!(text, " To fetch the next page call ListVars with {next}.");
    }
    text
}
