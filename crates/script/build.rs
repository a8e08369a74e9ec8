//! Puts lodash into the program. `make setup` installs it from npm, pinned by `package-lock.json`; without it the program is
//! built all the same, and scripts that use `_` are refused.

use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::{env, fs, io};

/// The file of the pinned version.
const SHA_256: &str = "a8d7e6291ad80256f976ace90824a71018d2f706992c9107b20bdced97bee27b";
const FILE: &str = "node_modules/lodash/lodash.min.js";

fn main() -> io::Result<()> {
    println!("cargo::rustc-check-cfg=cfg(has_lodash)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FILE}");
    let Ok(source) = fs::read(FILE) else {
        println!(
            "cargo::warning=lodash is left out: scripts that use `_` will be refused; `make setup` installs it (needs npm)"
        );
        return Ok(());
    };
    let hash: String = Sha256::digest(&source).iter().map(|byte| format!("{byte:02x}")).collect();
    if hash != SHA_256 {
        println!("cargo::error={FILE} is not the pinned version: its SHA-256 is {hash}; run `make setup`");
        return Ok(());
    }
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&folder).join("lodash.js"), source)?;
    println!("cargo::rustc-cfg=has_lodash");
    Ok(())
}
