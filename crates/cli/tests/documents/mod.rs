//! What the documents tell people to type works, what they show is what comes, and their links lead somewhere.

mod answers;
mod links;
mod tools;

use crate::support::{Place, Server};
use answers::Shown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// A fenced block of a document.
struct Block {
    /// Document and line.
    place: String,
    /// The word behind the fence.
    kind: String,
    text: String,
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in read(document).lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => {
                let place = format!("{document}:{}", number + 1);
                open = Some(Block { place, kind: kind.to_owned(), text: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{document}: a block has no end");
    blocks
}

/// The documents with examples, in the order in which they are read: a page of the reference continues with what those
/// before it made.
fn documents() -> Vec<String> {
    let index = "docs/reference/README.md";
    let pages = links::targets(&read(index)).into_iter().filter(|target| !target.contains(['/', ':', '#']));
    let pages: Vec<String> = pages.map(|page| format!("docs/reference/{page}")).collect();
    let listed = std::fs::read_dir(root().join("docs/reference")).expect("a folder").count();
    assert_eq!(pages.len() + 1, listed, "the index lists every page once");
    ["README.md", "docs/guide.md", "docs/guide.zh.md", index].into_iter().map(str::to_owned).chain(pages).collect()
}

/// Building takes too long for a test, and the server of this one has no keys.
fn is_skipped(block: &Block) -> bool {
    block.text.lines().any(|line| line.starts_with("make ")) || block.text.contains("account key create")
}

/// A stream ends by the clock, everything else by itself. Every answer is a line.
const PROLOGUE: &str = r#"
set -eo pipefail
curl() {
  case " $* " in
    *" -N "*) command curl -sS --fail-with-body --max-time 1 "$@" || [ $? = 28 ] ;;
    *) command curl -sS --fail-with-body --max-time 60 "$@" && echo ;;
  esac
}
"#;

/// Comes before the output of each block.
const MARK: &str = "@@ ";

#[test]
fn examples_work_and_answer_as_shown() {
    let server = Server::start_on(Arc::new(Place::sqlite()));
    let address = server.base.trim_start_matches("http://");
    let blocks: Vec<Block> = documents().iter().flat_map(|document| blocks(document)).collect();
    let mut script = PROLOGUE.to_owned();
    for block in blocks.iter().filter(|block| block.kind == "sh" && !is_skipped(block)) {
        let text = block.text.replace("127.0.0.1:7117", address).replace("localhost:7117", address);
        script += &format!("printf '\\n{MARK}%s\\n' '{}'\n{text}", block.place);
    }
    let output = run(&server, &script);
    assert!(blocks.len() >= 50 && script.matches(MARK).count() >= 35, "the blocks are found");
    let mut compared = 0;
    for pair in blocks.windows(2) {
        let [asked, shown] = pair else { continue };
        let same_document = asked.place.split(':').next() == shown.place.split(':').next();
        let compares = asked.kind == "sh" && !is_skipped(asked) && same_document;
        if compares && ["text", "json"].contains(&shown.kind.as_str()) {
            let answered = output_of(&output, &asked.place);
            let fits = match asked.text.contains("curl -N") {
                true => answers::is_first_frame(&shown.text, answered),
                false => Shown::read(&shown.text).is_in(answered),
            };
            assert!(fits, "{} shows\n{}but the answer is\n{answered}", shown.place, shown.text);
            compared += 1;
        }
    }
    assert!(compared >= 9, "only {compared} answers were compared");
}

/// Runs the script to its end, which must be a good one.
fn run(server: &Server, script: &str) -> String {
    let file = server.place.file("examples.sh");
    std::fs::write(&file, script).expect("a file");
    std::os::unix::fs::symlink(root().join("examples"), server.place.file("examples")).expect("a link");
    let program = Path::new(env!("CARGO_BIN_EXE_tavernkeep")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(program.to_owned()).chain(std::env::split_paths(&path)));
    let mut command = Command::new("bash");
    command.arg(&file).current_dir(server.place.file("")).stdin(Stdio::null());
    command.env("PATH", path.expect("a search path")).env("TAVERNKEEP_DATA", server.place.data());
    for proxy in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    let output = command.output().expect("bash can be started; the examples need it, and curl");
    let answered = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let last = answered.rfind(MARK).map_or("", |at| &answered[at..]);
        panic!("{}\n{last}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    answered
}

/// What a block answered.
fn output_of<'a>(output: &'a str, place: &str) -> &'a str {
    let (_, after) = output.split_once(&format!("{MARK}{place}\n")).expect("every block is marked");
    after.split(&format!("\n{MARK}")).next().unwrap_or_default()
}

#[test]
fn the_tour_is_short() {
    let words = read("docs/guide.md").split_whitespace().count();
    assert!(words <= 1_200, "docs/guide.md has {words} words; a tour has at most 1,200");
}
