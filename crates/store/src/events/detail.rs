//! What events carry beside the id of their subject, as JSON objects.

use tavernkeep_engine::floor::FloorState;
use tavernkeep_engine::id::Id;

pub fn of_floor(floor_no: i64, state: FloorState) -> String {
    format!("{{\"floor_no\":{floor_no},\"state\":\"{}\"}}", state.as_str())
}

pub fn of_page(floor: &Id, page_no: i64, version: i64, is_active: bool) -> String {
    format!("{{\"floor_id\":\"{floor}\",\"page_no\":{page_no},\"version\":{version},\"is_active\":{is_active}}}")
}

pub fn of_snapshot(page: &Id) -> String {
    format!("{{\"page_id\":\"{page}\"}}")
}
