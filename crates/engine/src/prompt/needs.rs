//! What a prompt asks for, found in what was parsed of it.

use super::parse::Node;
use super::table::Row;
use crate::rules::profile::Profile;
use crate::view::expression::Expression;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(super) struct FoundNeeds {
    pub(super) floors: BTreeSet<i64>,
    /// Whether the variables of the last message are asked for.
    pub(super) message: bool,
    /// Whether an argument of a view comes from another macro, so that only an evaluation can say which floor is meant.
    pub(super) depends: bool,
}

impl FoundNeeds {
    pub(super) fn look(&mut self, text: &str, nodes: &[Node], profile: &Profile) {
        for node in nodes {
            match node {
                Node::Text(_) | Node::Plain(..) | Node::Raw(..) | Node::Fixed(..) => {}
                Node::Variable(variable) => self.look(text, &variable.operand, profile),
                Node::If(block) => {
                    self.condition(text, &block.condition, profile);
                    self.look(text, &block.then, profile);
                    self.look(text, &block.otherwise, profile);
                }
                Node::Macro(_, row, args) => {
                    self.row(text, row, args, profile);
                    args.iter().for_each(|nodes| self.look(text, nodes, profile));
                }
            }
        }
    }

    fn row(&mut self, text: &str, row: &Row, args: &[Vec<Node>], profile: &Profile) {
        match row.name {
            "get_message_variable" | "format_message_variable" => self.message = true,
            "view" => {
                let literal = |nodes: &Vec<Node>| match nodes.as_slice() {
                    [Node::Text(span)] => Some(text[span.clone()].to_owned()),
                    _ => None,
                };
                let Some(args) = args.iter().map(literal).collect::<Option<Vec<String>>>() else {
                    self.depends = true;
                    return;
                };
                let of_view = || args.first().and_then(|name| profile.view(name)?.changed_since);
                self.floors.extend(match args.get(1) {
                    Some(floor) => floor.trim().parse().ok(),
                    None => of_view(),
                });
            }
            _ => {}
        }
    }

    fn condition(&mut self, text: &str, condition: &Expression<Vec<Node>>, profile: &Profile) {
        match condition {
            Expression::Truth(nodes) => self.look(text, nodes, profile),
            Expression::Not(inner) => self.condition(text, inner, profile),
            Expression::All(parts) | Expression::Any(parts) => {
                parts.iter().for_each(|part| self.condition(text, part, profile));
            }
            Expression::Compare(_, left, right) => {
                self.look(text, left, profile);
                self.look(text, right, profile);
            }
        }
    }
}
