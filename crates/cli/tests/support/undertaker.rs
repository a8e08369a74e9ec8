//! Cleans up after this process, however it ends.
//!
//! Servers and databases are shared by all tests of a process, and nothing drops them when it exits or is killed. So a
//! small shell listens at the other end of a pipe: when the pipe closes, it ends the processes it knows of and removes the
//! folders. A parent-death signal would not do: it is tied to the spawning thread, and tests are threads that end.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

const SCRIPT: &str = r#"
trap '' INT TERM HUP
alive=''
mounts=''
while read -r word what; do
  case $word in
    born) alive="$alive $what" ;;
    dead) rest=''; for each in $alive; do [ "$each" = "$what" ] || rest="$rest $each"; done; alive=$rest ;;
    folder) set -- "$@" "$what" ;;
    mount) mounts="$mounts $what" ;;
  esac
done
for each in $alive; do kill -s QUIT "$each" 2>/dev/null; done
for each in $alive; do
  tries=0
  while kill -s 0 "$each" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
  kill -s KILL "$each" 2>/dev/null
done
for each in $mounts; do umount -l "$each" 2>/dev/null; done
for folder in "$@"; do rm -rf "$folder"; done
"#;

/// Ends this child when our process ends.
pub fn born(child: &Child) {
    tell(&format!("born {}", child.id()));
}

/// The child has been waited for; its number may belong to somebody else from now on.
pub fn dead(child: &Child) {
    tell(&format!("dead {}", child.id()));
}

/// Removes this folder when our process ends.
pub fn folder(path: &Path) {
    tell(&format!("folder {}", path.display()));
}

/// Unmounts what is mounted here when our process ends, unless that has been done.
#[allow(dead_code)] // Only the fault harness has disks of its own.
pub fn mount(path: &Path) {
    tell(&format!("mount {}", path.display()));
}

fn tell(line: &str) {
    static PIPE: OnceLock<Mutex<ChildStdin>> = OnceLock::new();
    // It outlives us by design, so nobody waits for it.
    #[allow(clippy::zombie_processes)]
    let pipe = PIPE.get_or_init(|| {
        let shell = Command::new("sh")
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell can be started");
        Mutex::new(shell.stdin.expect("its input is a pipe"))
    });
    let mut pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(pipe, "{line}").expect("the shell listens until we are gone");
}
