//! What every module needs that works on rows of conversations, and what all modules with SQL need.

pub(crate) use crate::db::prelude::*;
pub(crate) use crate::tree::clock::{AccountClock, SessionClock, Tick};
pub(crate) use crate::tree::hosts::HostRow;
pub(crate) use crate::tree::positions::{FloorPosition, PagePosition};
pub(crate) use crate::tree::totals::Totals;
pub(crate) use crate::tree::{MAIN_BRANCH, SessionKey, lookup};
