//! Where a value stands in a document, for messages.

use super::DocumentError;
use std::sync::Arc;

/// The steps from the document to a value.
#[derive(Default)]
pub(super) struct ValuePath(pub(super) Vec<ValueStep>);

pub(super) enum ValueStep {
    Key(Arc<str>),
    Index(usize),
    /// The member at a position of a node.
    Known(usize, usize),
}

/// A step whose key is looked up when there is a message to write.
pub(super) fn unnamed(node: usize, position: usize) -> String {
    format!("\u{1}{node}.{position}\u{1}")
}

impl ValuePath {
    pub(super) fn written(&self) -> String {
        let steps = self.0.iter().take(16).map(|step| match step {
            ValueStep::Key(key) => format!(".{key}"),
            ValueStep::Index(index) => format!("[{index}]"),
            ValueStep::Known(node, position) => format!(".{}", unnamed(*node, *position)),
        });
        std::iter::once("snapshot".to_owned()).chain(steps).collect()
    }

    pub(super) fn error(&self, what: &str) -> DocumentError {
        DocumentError::NotJson(format!("`{}` is {what}", self.written()))
    }
}
