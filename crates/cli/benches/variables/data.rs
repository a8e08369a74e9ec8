//! The rows that are measured: one session whose five layers hold many variables, in an account that holds more.

use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_runtime::Runtime;
use tavernkeep_runtime::order::{NewFloor, NewPage, NewSession, Write};
use tavernkeep_runtime::record::{Condition, Host, Target};

/// How many variables each of the five layers holds.
pub const LAYERS: [usize; 3] = [20, 200, 2_000];

pub fn id(text: &str) -> Id {
    text.parse().unwrap()
}

pub fn write(host: Host, key: &str, value: &str) -> Write {
    let target = Target { host, key: key.parse().unwrap() };
    Write { target, value: JsonText::parse(value.as_bytes()).unwrap(), condition: Condition::None }
}

/// A session with its floor and page; ids follow from its name.
pub async fn session(runtime: &Runtime, name: &str) {
    let account = Runtime::default_account();
    let new = NewSession { id: Some(id(name)), ..NewSession::default() };
    runtime.create_session(&account, new).await.unwrap();
    let floor = NewFloor { id: Some(id(&format!("{name}-floor"))), ..NewFloor::of(id(name)) };
    runtime.create_floor(&account, floor).await.unwrap();
    let page = NewPage { id: Some(id(&format!("{name}-page"))), ..NewPage::of(id(&format!("{name}-floor"))) };
    runtime.create_page(&account, page).await.unwrap();
}

/// An account whose one session sees five layers of so many variables each.
pub async fn layers(runtime: &Runtime, count: usize) {
    session(runtime, "s").await;
    for host in hosts("s") {
        fill(runtime, &host, count).await;
    }
}

/// The hosts of the layers of a session.
fn hosts(name: &str) -> [Host; 5] {
    [
        Host::Global,
        Host::Chat(id(name)),
        Host::Branch(id(name), "main".into()),
        Host::Floor(id(&format!("{name}-floor"))),
        Host::Page(id(&format!("{name}-page"))),
    ]
}

/// Puts `count` variables on a host, a hundred at a time.
pub async fn fill(runtime: &Runtime, host: &Host, count: usize) {
    let account = Runtime::default_account();
    let writes: Vec<Write> = (0..count)
        .map(|number| write(host.clone(), &format!("{}-{number:05}", host.scope().as_str()), &value(number)))
        .collect();
    for batch in writes.chunks(100) {
        runtime.put_variables(&account, batch.to_vec()).await.unwrap();
    }
}

/// A value as stories have them: short, structured.
pub fn value(number: usize) -> String {
    format!("{{\"name\":\"item {number}\",\"count\":{number},\"tags\":[\"a\",\"b\"]}}")
}
