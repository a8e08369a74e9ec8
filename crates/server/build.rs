//! Finds the built console, which `make web` writes to `web/dist`. A machine without Node builds the server without it.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let built = root.join("../../web/dist");
    println!("cargo:rerun-if-changed={}", built.display());
    let folder = if built.join("index.html").is_file() {
        built
    } else {
        println!(
            "cargo:warning=the console is left out of this build; `make web` builds it (needs Node 20.19 or later)"
        );
        empty_folder()
    };
    println!("cargo:rustc-env=TAVERNKEEP_CONSOLE={}", folder.display());
}

fn empty_folder() -> PathBuf {
    let folder = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("console");
    if let Err(error) = fs::create_dir_all(&folder) {
        println!("cargo:warning=cannot create {}: {error}", folder.display());
    }
    folder
}
