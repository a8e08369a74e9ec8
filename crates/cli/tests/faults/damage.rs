//! A file that loses its end under a running server: a clear error, and all is well once the file is.
//!
//! A failing disk shows itself in the same way. A server that maps the file into its memory would be killed by a signal.

use crate::campaign::Campaign;
use crate::client::Outcome;
use crate::crew::Crew;
use crate::http::{Reply, Request, Wire};
use crate::observe;
use crate::support::{Place, Server};
use serde_json::json;
use std::fs::OpenOptions;
use std::sync::Arc;

#[test]
fn a_file_that_cannot_be_read_does_not_end_the_server() {
    let mut random = Campaign::begin("damage").random();
    let place = Arc::new(Place::sqlite());
    let mut server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    let mut crew = Crew::new(2, &mut random, &wire);
    crew.run(|client| (0..50).for_each(|_| assert!(matches!(client.go(&wire), Outcome::Acknowledged))), || {});
    // The end folds the log in, so that everything is in the file.
    assert!(server.terminate().success());
    let path = place.sqlite_file();
    let whole = std::fs::read(&path).expect("the database is a file");
    let server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    wire.must(&Request::get("/health"));
    let put = Request::put("/variables", json!({"scope": "global", "scope_id": "g", "key": "refused", "value": 1}));
    // A copy over the file empties it first and fills it by and by.
    for length in [8192, 0, 4096, whole.len() / 2] {
        let file = OpenOptions::new().write(true).open(&path).expect("it can be written");
        file.set_len(length as u64).expect("it can be cut");
        for request in [observe::request(), put.clone(), Request::get("/sessions"), put.clone()] {
            match wire.send(&request) {
                // A read may need nothing of what is missing, and an export names what it cannot read.
                Reply::Answered(answer) if request.method == "GET" && answer.is_success() => {}
                Reply::Answered(answer) => assert_eq!(answer.status, 503, "{length}: {answer:?}"),
                // An export that has begun can only break off.
                Reply::Broken(why) => eprintln!("{length}: the export broke off: {why}"),
            }
        }
        std::fs::write(&path, &whole).expect("it can be restored");
        crew.judge(&observe::everything(&wire)).unwrap_or_else(|error| panic!("{length}: {error}"));
    }
    wire.must(&put);
    drop(server);
    place.run(&["check"]);
}
