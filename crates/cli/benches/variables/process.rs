//! A server in a process of its own: its address, its CPU time, its memory.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

pub struct Process {
    child: Child,
    pub address: String,
}

impl Process {
    /// Starts a program and waits for the line that says where it listens.
    pub fn start(command: &mut Command) -> Process {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines
            .find_map(|line| {
                let line = line.unwrap();
                let (_, rest) = line.split_once("http://")?;
                Some(rest.split([',', ' ', '/', '"']).next().unwrap().to_owned())
            })
            .expect("the server says where it listens");
        // Its log must go somewhere, or the pipe fills and the server stands still.
        std::thread::spawn(move || lines.for_each(drop));
        Process { child, address }
    }

    /// Seconds of CPU that the process has used, in user and system mode.
    pub fn cpu_seconds(&self) -> f64 {
        cpu_of(&format!("/proc/{}/stat", self.child.id()))
    }

    pub fn resident_mb(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }
}

/// Seconds of CPU that this thread has used.
pub fn cpu_of_thread() -> f64 {
    cpu_of("/proc/thread-self/stat")
}

fn cpu_of(file: &str) -> f64 {
    let stat = std::fs::read_to_string(file).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11..13].iter().map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
