//! Replays the recorded behaviour of MVU and SAM and says how much of it we share.
//!
//! Reads `$TAVERNKEEP_SHARED/vectors`, else `../shared/vectors` beside the workspace, and skips loudly where that is
//! missing. `cargo test -p tavernkeep-engine --test vectors -- --nocapture` shows the table; `DIFFERENCES=1` also shows
//! every vector that differs. What differs on purpose is explained in `docs/compatibility.md`.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)]

mod replay;

use replay::{Shares, mvu, sam, vectors};

#[test]
fn mvu_is_matched() {
    let Some(vectors) = vectors("mvu.jsonl") else { return };
    let mut shares = Shares::default();
    vectors.iter().for_each(|vector| mvu::replay(vector, &mut shares));
    shares.print("MVU");
    shares.demand("apply", 0.98);
    shares.demand("apply_zod", 0.88);
    for whole in ["parse (calls)", "parse (operations)", "path_fix", "initvar, state", "initvar, schema"] {
        shares.demand(whole, 1.0);
    }
    shares.demand("value", 0.97);
    shares.demand("parse_string", 0.97);
}

#[test]
fn the_sane_half_of_sam_is_matched() {
    let Some(vectors) = vectors("sam.jsonl") else { return };
    let mut shares = Shares::default();
    vectors.iter().for_each(|vector| sam::replay(vector, &mut shares));
    shares.print("SAM");
    for (dialect, least) in [("sam6-jsonpatch", 0.62), ("sam4.2-at", 0.83), ("sam4-at-events", 0.84)] {
        shares.demand(dialect, least);
        shares.demand(&format!("{dialect} (sane half)"), 1.0);
    }
}
