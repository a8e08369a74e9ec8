//! Any text as a value: no reader panics, and what was read survives its own text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::literal::{Literals, Temper, read_block, read_items, read_json5, read_literal, read_yaml};

fuzz_target!(|text: &str| {
    let literals = [Literals::Mvu, Literals::MvuZod, Literals::Tolerant].map(|literals| read_literal(text, literals));
    let tempers = [Temper::Exact, Temper::Lenient].map(|temper| read_json5(text, temper).ok());
    let others = [read_yaml(text).ok(), read_block(text)];
    for value in literals.into_iter().chain(tempers).chain(others).flatten() {
        if value.depth() <= 128 {
            assert!(Value::parse(&value.to_json()).expect("our own text").same_in_order(&value));
        }
    }
    let _ = read_items(text, Temper::Lenient);
});
