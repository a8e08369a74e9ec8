//! What variables cost, beside the same rows in bare SQLite and the same bytes from a bare axum handler.
//!
//! `make bench` prints the tables of `docs/benchmarks.md`. Every figure is a ratio of two measurements that took turns in
//! the same run, since absolute times say more about the machine than about the program.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::panic,
    missing_docs
)]

mod bare;
mod data;
mod fanout;
mod http;
mod measure;
mod process;
mod stored;
mod story;

fn main() {
    // The bare handler runs in a process of its own, as the server does.
    if let Some(file) = std::env::args().skip_while(|argument| argument != "--bare-axum").nth(1) {
        return bare::serve(&file);
    }
    if std::env::args().any(|argument| argument == "--bare-events") {
        return fanout::serve_bare();
    }
    if wanted("stored") {
        println!("## In process: the store beside bare SQLite, both durable\n");
        stored::run();
    }
    if wanted("story") {
        println!("\n## In process: what conversations add\n");
        story::run();
    }
    let writes = http::prepared();
    if wanted("http") {
        println!("\n## Over HTTP: the server beside a bare axum handler with the same body\n");
        http::run(&writes.server);
    }
    if wanted("cost") {
        println!("\n## Cost of a durable upsert over HTTP, 16 clients\n");
        http::cost(&writes.server);
    }
    if wanted("preview") {
        println!("\n## Cost of a prompt preview over HTTP, 16 clients\n");
        http::preview_cost();
    }
    if wanted("events") {
        println!("\n## Events to 1,000 listeners, beside a bare axum handler that broadcasts the same bytes\n");
        fanout::run();
    }
    println!("\nresident after the run: {:.1} MB", writes.server.resident_mb());
}

/// Whether a part is to be measured: all of them, or the one that `--only` names.
fn wanted(part: &str) -> bool {
    std::env::args().skip_while(|argument| argument != "--only").nth(1).is_none_or(|only| only == part)
}
