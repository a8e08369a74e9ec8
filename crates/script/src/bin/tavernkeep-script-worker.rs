//! A worker for programs that use the library and are not workers themselves: they name this binary.

fn main() {
    tavernkeep_script::worker_main();
}
