//! The real program on a small disk that is full: 507, everything still readable, and all well once there is room.

use crate::campaign::Campaign;
use crate::client::{Client, Outcome};
use crate::crew::{CLIENTS, Crew};
use crate::http::Wire;
use crate::observe;
use crate::support::place::said;
use crate::support::{Place, Server, undertaker};
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

/// Goes on until it is told that there is no room, or for a while: a log that has been folded in is written anew from its
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
fn a_full_disk_is_told_and_gets_well() {
    let campaign = Campaign::begin("full disk");
    let mut random = campaign.random();
    let place = Arc::new(Place::sqlite());
    // The log alone may be 40 MiB long before it is folded in.
    let Some(disk) = SmallDisk::mount(&place, "96m") else { return };
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
