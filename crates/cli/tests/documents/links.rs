//! Links between documents: files that exist, and headings in them.

use super::root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let mut followed = 0;
    for document in all_documents() {
        let text = std::fs::read_to_string(&document).expect("a document");
        for target in
            targets(&text).into_iter().filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        {
            let (file, anchor) =
                target.split_once('#').map_or((target.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let path = match file {
                "" => document.clone(),
                file => document.parent().expect("a folder").join(file),
            };
            let known = || std::fs::read_to_string(&path).map(|text| anchors(&text)).unwrap_or_default();
            if !path.exists() || anchor.is_some_and(|anchor| !known().contains(anchor)) {
                broken.push(format!("{}: {target}", document.display()));
            }
            followed += 1;
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
    assert!(followed >= 100, "only {followed} links were found");
}

/// Every Markdown file of the workspace that people read.
fn all_documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("it can be listed").path();
            let is_here = |name: &str| path == root().join(name);
            if path.is_dir() && (path.starts_with(root().join("docs")) || is_here("docs")) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.iter().any(|path| path.ends_with(Path::new("docs/guide.md"))), "{found:?}");
    found
}

/// Where the links of a document lead, in their order; what is code is none.
pub fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(text) {
        // Every second piece stands between backticks.
        let plain: String = line.split('`').step_by(2).collect();
        let mut rest = plain.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let (target, after) = after.split_once(')').unwrap_or((after, ""));
            targets.push(target.trim_matches(['<', '>']).to_owned());
            rest = after;
        }
    }
    targets
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in prose(text).filter(|line| line.starts_with('#')) {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|&character| character.is_alphanumeric() || "-_ ".contains(character));
        let anchor = kept.map(|character| if character == ' ' { '-' } else { character }).collect::<String>();
        let name = |count: usize| if count == 0 { anchor.clone() } else { format!("{anchor}-{count}") };
        let free = (0..).map(name).find(|name| !anchors.contains(name));
        anchors.extend(free);
    }
    anchors
}

/// The lines outside of fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

#[test]
fn links_and_anchors_are_found_as_github_does() {
    let text = "# One & two: `three`\nSee [a](b.md#c) and `[no](no)`.\n```sh\n[no](no)\n```\n## 编辑：状态\n## Twice\n## Twice";
    assert_eq!(targets(text), ["b.md#c"]);
    let wanted = ["one--two-three", "twice", "twice-1", "编辑状态"].map(str::to_owned);
    assert_eq!(anchors(text), BTreeSet::from(wanted));
}
