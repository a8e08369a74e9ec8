//! A file that loses its end under a running server: a clear error, and all is well once the file is.
//!
//! A failing disk shows itself in the same way. A server that maps the file into its memory would be killed by a signal.

use crate::campaign::Campaign;
use crate::client::Outcome;
use crate::crew::Crew;
use crate::http::{Reply, Request, Wire};
use crate::observe;
use crate::support::{Place, Server};
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
    let whole = std::fs::read(place.sqlite_file()).expect("the database is a file");
    let server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    wire.must(&Request::get("/health"));
    let file = OpenOptions::new().write(true).open(place.sqlite_file()).expect("it can be written");
    file.set_len(8192).expect("it can be cut");
    match wire.send(&observe::request()) {
        Reply::Answered(answer) => assert_eq!(answer.status, 503, "{answer:?}"),
        // An export that has begun can only break off.
        Reply::Broken(why) => eprintln!("the export broke off: {why}"),
    }
    std::fs::write(place.sqlite_file(), whole).expect("it can be restored");
    crew.judge(&observe::everything(&wire)).unwrap_or_else(|error| panic!("{error}"));
}
