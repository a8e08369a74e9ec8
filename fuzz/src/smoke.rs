//! The fuzz targets on any toolchain: every input of the kept corpus, then mutations of it from a fixed seed.
//!
//! Tests of the workspace include this file, so that they run with all others. `FUZZ_ROUNDS=100000` looks longer.

use std::panic::catch_unwind;
use std::path::PathBuf;

/// Mutations for each target.
const ROUNDS: u64 = 4_000;
/// Longer inputs find little more and take longer.
const INPUT_BYTES_MAX: usize = 4096;

/// A target: any input can be given to it.
type Target = fn(&[u8]);

/// Gives every target its corpus and mutations of it. Panics with the input that breaks something.
pub fn run(targets: &[(&str, Target)]) {
    let rounds = std::env::var("FUZZ_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("FUZZ_ROUNDS is a number"));
    let tokens = tokens();
    for (name, target) in targets {
        let corpus = corpus(name);
        assert!(!corpus.is_empty(), "fuzz/corpus/{name} has no inputs");
        let run = |input: &[u8]| {
            assert!(catch_unwind(|| target(input)).is_ok(), "{name} fails on b\"{}\"", input.escape_ascii());
        };
        corpus.iter().for_each(|input| run(input));
        let mut chance = Chance(0x5EED);
        for _ in 0..rounds {
            let mut input = corpus[chance.below(corpus.len())].clone();
            for _ in 0..=chance.below(4) {
                mutate(&mut input, &corpus, &tokens, &mut chance);
            }
            input.truncate(INPUT_BYTES_MAX);
            run(&input);
        }
    }
}

/// One small change, of the kinds that models and attackers make: something is cut, doubled, swapped or slipped in.
fn mutate(input: &mut Vec<u8>, corpus: &[Vec<u8>], tokens: &[Vec<u8>], chance: &mut Chance) {
    let from = chance.below(input.len() + 1);
    let to = (from + chance.below(16)).min(input.len());
    match chance.below(6) {
        0 => drop(input.drain(from..to)),
        1 => {
            let doubled = input[from..to].repeat(1 + chance.below(8));
            input.splice(from..from, doubled);
        }
        2 => drop(input.splice(from..to, tokens[chance.below(tokens.len())].iter().copied())),
        3 => drop(input.splice(from..from, tokens[chance.below(tokens.len())].iter().copied())),
        4 => {
            let other = &corpus[chance.below(corpus.len())];
            let start = chance.below(other.len() + 1);
            input.splice(from.., other[start..].iter().copied());
        }
        _ => {
            if let Some(byte) = input.get_mut(from) {
                *byte ^= 1 << chance.below(8);
            }
        }
    }
}

/// The kept inputs of a target, always in the same order.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = folder().join("corpus").join(name);
    let entries = std::fs::read_dir(&folder).expect("every target has a folder of inputs");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// The dictionary that libFuzzer reads too: one `"…"` a line, with `\"`, `\\` and `\xAB`.
fn tokens() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(folder().join("dictionary.txt")).unwrap();
    let quoted = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    quoted.map(|token| unescape(token.as_bytes())).collect()
}

fn unescape(token: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = token.iter().copied();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next().expect("something behind a backslash") {
                b'x' => {
                    let digits: Vec<u8> = bytes.by_ref().take(2).collect();
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).expect("two hexadecimal digits")
                }
                other => other,
            },
            other => other,
        });
    }
    out
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// SplitMix64: small, and the same everywhere.
struct Chance(u64);

impl Chance {
    /// A number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }
}
