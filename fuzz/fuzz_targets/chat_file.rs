#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tavernkeep_fuzz::chat_file(bytes));
