//! The real program on a small disk that is full: 507, everything still readable, and all well once there is room.

use crate::campaign::Campaign;
use crate::client::{Client, Outcome};
use crate::crew::{CLIENTS, Crew};
use crate::http::{Reply, Request, Wire};
use crate::observe;
use crate::support::place::said;
use crate::support::{Place, Server, undertaker};
use serde_json::json;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// Steps of a client on a full disk.
const STEPS_MAX: usize = 50;

/// A small file system in place of a data folder.
struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts one; none where this process may not.
    fn mount(place: &Place, size: &str) -> Option<SmallDisk> {
        let folder = place.data();
        std::fs::create_dir_all(&folder).expect("a data folder");
        let options = format!("size={size},mode=700");
        undertaker::mount(&folder);
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&folder).output();
        match mounted {
            Ok(output) if output.status.success() => Some(SmallDisk { folder }),
            Ok(output) => skip(&said(&output)),
            Err(error) => skip(&error.to_string()),
        }
    }

    /// Takes all the room there is.
    fn fill(&self) {
        let mut file = File::create(self.folder.join("ballast")).expect("a file");
        let block = [1_u8; 4096];
        while file.write_all(&block).is_ok() {}
    }

    fn free(&self) {
        std::fs::remove_file(self.folder.join("ballast")).expect("the ballast is there");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, since a server that a failed test left behind may still hold it.
        drop(Command::new("umount").arg("-l").arg(&self.folder).status());
    }
}

fn skip(why: &str) -> Option<SmallDisk> {
    eprintln!(
        "SKIPPED: a small file system cannot be mounted here, so a full disk is not tried with the real program."
    );
    eprintln!("SKIPPED: run it as root where `mount -t tmpfs` is allowed. {why}");
    None
}

/// Goes on until the server answers that there is no room, or for a while: a log that has been folded in is written again from its
/// beginning, and needs no more room then.
fn go_until_full(client: &mut Client, wire: &Wire) {
    for _ in 0..STEPS_MAX {
        match client.go(wire) {
            Outcome::Acknowledged => {}
            Outcome::Trouble(answer) => {
                return assert!(answer.is_full() || answer.is_success(), "a full disk is answered {answer:?}");
            }
            Outcome::Broken => panic!("the connection broke"),
        }
    }
}

fn go_well(client: &mut Client, wire: &Wire, steps: usize) {
    for _ in 0..steps {
        let outcome = client.go(wire);
        assert!(matches!(outcome, Outcome::Acknowledged), "there is room: {outcome:?}");
    }
}

#[test]
fn a_full_disk_is_reported_and_recovers() {
    let campaign = Campaign::begin("full disk");
    let mut random = campaign.random();
    let place = Arc::new(Place::sqlite());
    // The log alone may be 40 MiB long before it is folded in, and 48 MiB are kept for deletions.
    let Some(disk) = SmallDisk::mount(&place, "144m") else { return };
    let mut server = Server::start_on(Arc::clone(&place));
    let mut crew = Crew::new(CLIENTS, &mut random, &Wire::to(&server.base));
    let rounds = campaign.faults.div_ceil(4);
    for round in 0..rounds {
        let wire = Wire::to(&server.base);
        disk.fill();
        crew.run(|client| go_until_full(client, &wire), || {});
        // What is there can be read, and an error means that nothing happened.
        crew.judge_strictly(&observe::everything(&wire)).unwrap_or_else(|error| panic!("round {round}: {error}"));
        if round % 3 == 0 {
            server.kill();
            // There is no room for anything new, and everything can be read.
            server = Server::start_on(Arc::clone(&place));
            let everything = observe::everything(&Wire::to(&server.base));
            crew.judge_strictly(&everything).unwrap_or_else(|error| panic!("round {round}: {error}"));
            disk.free();
        } else {
            disk.free();
        }
        let wire = Wire::to(&server.base);
        crew.run(|client| go_well(client, &wire, 5), || {});
        crew.judge_strictly(&observe::everything(&wire)).unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
    assert!(crew.failed() > 0, "the disk was never full");
    assert!(server.terminate().success());
    let checked = place.output(&["check"]);
    assert!(checked.status.success(), "{}", said(&checked));
    campaign.report(&format!(
        "{rounds} times full, {} refused with 507, {} acknowledged, 0 lost",
        crew.failed(),
        crew.acknowledged()
    ));
}

/// Writes of half a megabyte before a disk of 224 MB must be full.
const LARGE_WRITES_MAX: usize = 400;

/// How often a background job is waited for before a test gives up.
const LOOKS_MAX: usize = 600;

/// A full disk is freed through the program that filled it: deletions have a reserve, and other writes leave it to them.
#[test]
fn a_full_disk_is_freed_by_deleting() {
    let mut random = Campaign::begin("freed disk").random();
    let place = Arc::new(Place::sqlite());
    let Some(disk) = SmallDisk::mount(&place, "224m") else { return };
    let mut server = Server::start_on(Arc::clone(&place));
    let wire = Wire::to(&server.base);
    for session in ["kept", "large"] {
        wire.must(&Request::post("/sessions", json!({"id": session})));
    }
    let put = |session: &str, key: &str, value: String| {
        let body = json!({"scope": "chat", "scope_id": session, "key": key, "value": value});
        match wire.send(&Request::put("/variables", body)) {
            Reply::Answered(answer) => answer,
            Reply::Broken(why) => panic!("{why}"),
        }
    };
    assert!(put("kept", "k", "stays".into()).is_success());
    for number in 0..60 {
        assert!(put("large", &format!("k{number}"), random.text(500_000)).is_success());
    }
    disk.fill();
    // The log has room of its own until it is as long as it was, so this can take a while.
    let is_full =
        (0..LARGE_WRITES_MAX).any(|number| put("kept", &format!("n{number}"), random.text(500_000)).is_full());
    assert!(is_full, "the disk is full");
    let files = [place.sqlite_file(), place.data().join("tavernkeep.reserve")];
    let size = |file: &PathBuf| std::fs::metadata(file).expect("it is there").len();
    assert!(size(&files[1]) > 0);
    wire.must(&Request::delete("/sessions/large"));
    let trash = wire.must(&Request::get("/trash")).body();
    let item = trash["data"][0]["id"].as_str().expect("an item in the trash").to_owned();
    wire.must(&Request::delete(format!("/trash/{item}")));
    // The deletion is a job, and the file becomes smaller when it has ended; nothing else was removed from the disk.
    let mut looks = 0;
    while !put("kept", "after", random.text(500_000)).is_success() {
        looks += 1;
        assert!(looks < LOOKS_MAX, "there is still no room: {:?}", files.map(|file| size(&file)));
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let state = wire.must(&Request::get("/variables?scope=chat&scope_id=kept&key=k")).text;
    assert!(state.contains("stays"), "{state}");
    assert!(server.terminate().success());
    let checked = place.output(&["check"]);
    assert!(checked.status.success(), "{}", said(&checked));
}
