//! The memory of a virtual machine: one region of fixed size with an allocator whose own state lies inside it.
//!
//! Everything that QuickJS allocates is here, so the size of the region is a strict limit, and copying the region back to
//! what it was after the start gives a machine that has never run a script. That takes a tenth of a millisecond, where
//! making a context and loading lodash takes ten.
//!
//! Blocks have a header of 16 bytes with their size class. A free block is kept in the list of its class; a block at the end
//! of what is used is given back to the end.

use rquickjs_sys::size_t;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

/// Bytes in front of each block: its class. QuickJS needs blocks aligned to 16 bytes.
const HEADER: usize = 16;
/// Sizes up to here have a class for each 16 bytes.
const SMALL_MAX: usize = 1024;
const SMALL_CLASSES: usize = SMALL_MAX / 16;
/// Above, four classes for each doubling, up to 2^32.
const CLASSES: usize = SMALL_CLASSES + 4 * 22;

/// Bytes behind the saved part that are cleared and kept: asking the kernel for them again would take longer.
const KEPT: usize = 4 * 1024 * 1024;

/// The allocator's state, at the start of the region.
#[repr(C)]
struct State {
    /// Where the unused rest of the region begins.
    end: usize,
    /// The highest `end` since the region was last restored.
    peak: usize,
    limit: usize,
    /// Whether a block was asked for that did not fit.
    is_exhausted: bool,
    /// The first free block of each class, as an offset; 0 for none.
    free: [usize; CLASSES],
}

/// A region of memory with an allocator.
#[derive(Debug)]
pub(crate) struct Arena {
    base: NonNull<u8>,
    size: usize,
    /// The used part as it was when it was saved.
    saved: Vec<u8>,
}

// The region belongs to the arena alone, so the arena may be used on any thread.
unsafe impl Send for Arena {}

impl Arena {
    /// A region of this many bytes. They cost nothing before they are used.
    pub(crate) fn new(size: usize) -> Option<Arena> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping that nobody else knows.
        let base = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        let arena = Arena { base: NonNull::new(base.cast())?, size, saved: Vec::new() };
        let state =
            State { end: first_block(), peak: first_block(), limit: size, is_exhausted: false, free: [0; CLASSES] };
        // SAFETY: the region is large enough for its state, aligned to a page, and unused.
        unsafe { arena.base.cast::<State>().write(state) };
        Some(arena)
    }

    /// What QuickJS gets as the opaque pointer of its allocator.
    pub(crate) fn opaque(&self) -> *mut c_void {
        self.base.as_ptr().cast()
    }

    /// Remembers what is in the region now.
    pub(crate) fn save(&mut self) {
        // SAFETY: the used part was initialised when blocks were handed out; gaps are zero pages of the kernel.
        let used = unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.state().end) };
        self.saved = used.to_vec();
    }

    /// Puts back what was saved, clears what is behind it, and returns most of that to the kernel.
    ///
    /// # Safety
    /// Nothing may be held that points to what was allocated since.
    pub(crate) unsafe fn restore(&mut self) {
        let peak = self.state().peak;
        let saved = self.saved.len();
        let page = 4096;
        let keep = saved.max(peak.min(saved + KEPT)).next_multiple_of(page).min(self.size);
        // SAFETY: both ranges lie in the region, which no reference points into.
        unsafe {
            ptr::copy_nonoverlapping(self.saved.as_ptr(), self.base.as_ptr(), saved);
            ptr::write_bytes(self.base.as_ptr().add(saved), 0, keep - saved);
            if peak > keep {
                let length = (peak - keep).next_multiple_of(page).min(self.size - keep);
                libc::madvise(self.base.as_ptr().add(keep).cast(), length, libc::MADV_DONTNEED);
            }
        }
    }

    /// Whether a block was asked for that did not fit, since this was last forgotten.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.state().is_exhausted
    }

    pub(crate) fn forget_exhaustion(&self) {
        // SAFETY: as for `state`; the machine does not run now.
        unsafe { (*self.base.cast::<State>().as_ptr()).is_exhausted = false };
    }

    /// The most bytes that were used since the region was restored.
    #[cfg(test)]
    fn peak(&self) -> usize {
        self.state().peak
    }

    fn state(&self) -> &State {
        // SAFETY: written by `new`, and changed only by the functions below, never while this reference lives.
        unsafe { self.base.cast::<State>().as_ref() }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing points into it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.size) };
    }
}

fn first_block() -> usize {
    size_of::<State>().next_multiple_of(16)
}

/// The class of a size, and the size of its blocks.
fn class_of(size: usize) -> Option<(usize, usize)> {
    let size = size.max(1);
    if size <= SMALL_MAX {
        let units = size.div_ceil(16);
        return Some((units - 1, units * 16));
    }
    let power = (size - 1).ilog2() as usize;
    let step = 1usize << (power - 2);
    let quarter = (size - 1 - (1 << power)) / step;
    let class = SMALL_CLASSES + (power - 10) * 4 + quarter;
    (class < CLASSES).then(|| (class, (1 << power) + (quarter + 1) * step))
}

/// The size of the blocks of a class.
fn size_of_class(class: usize) -> usize {
    if class < SMALL_CLASSES {
        return (class + 1) * 16;
    }
    let power = 10 + (class - SMALL_CLASSES) / 4;
    (1 << power) + ((class - SMALL_CLASSES) % 4 + 1) * (1 << (power - 2))
}

/// A size of C. What does not fit is more than any region has.
fn bytes(size: size_t) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

/// The class that stands in the header of a block.
///
/// # Safety
/// `block` was handed out by `allocate`.
unsafe fn class_at(block: *const u8) -> usize {
    // SAFETY: see above.
    unsafe { block.sub(HEADER).cast::<usize>().read() }
}

pub(crate) unsafe extern "C" fn allocate(opaque: *mut c_void, size: size_t) -> *mut c_void {
    let size = bytes(size);
    let base = opaque.cast::<u8>();
    // SAFETY: the opaque pointer is the start of a region, and QuickJS uses a region from one thread at a time.
    unsafe {
        let state = &mut *opaque.cast::<State>();
        let Some((class, block_size)) = class_of(size) else {
            state.is_exhausted = true;
            return ptr::null_mut();
        };
        let free = state.free[class];
        if free != 0 {
            let block = base.add(free);
            state.free[class] = block.cast::<usize>().read();
            return block.cast();
        }
        if state.limit - state.end >= block_size + HEADER {
            let block = base.add(state.end + HEADER);
            block.sub(HEADER).cast::<usize>().write(class);
            state.end += block_size + HEADER;
            state.peak = state.peak.max(state.end);
            return block.cast();
        }
        // The region is used up. A larger block that is free will do.
        let Some(larger) = (class + 1..CLASSES).find(|larger| state.free[*larger] != 0) else {
            state.is_exhausted = true;
            return ptr::null_mut();
        };
        let block = base.add(state.free[larger]);
        state.free[larger] = block.cast::<usize>().read();
        block.cast()
    }
}

pub(crate) unsafe extern "C" fn allocate_zeroed(opaque: *mut c_void, count: size_t, size: size_t) -> *mut c_void {
    let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
    // SAFETY: as for `allocate`; the block has at least so many bytes.
    unsafe {
        let block = allocate(opaque, size);
        if !block.is_null() {
            ptr::write_bytes(block.cast::<u8>(), 0, bytes(size));
        }
        block
    }
}

pub(crate) unsafe extern "C" fn free(opaque: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    let (base, block) = (opaque.cast::<u8>(), block.cast::<u8>());
    // SAFETY: QuickJS frees what it got from `allocate`, once.
    unsafe {
        let state = &mut *opaque.cast::<State>();
        let class = class_at(block);
        let offset = block.offset_from(base).unsigned_abs();
        if offset + size_of_class(class) == state.end {
            state.end = offset - HEADER;
            return;
        }
        block.cast::<usize>().write(state.free[class]);
        state.free[class] = offset;
    }
}

pub(crate) unsafe extern "C" fn reallocate(opaque: *mut c_void, block: *mut c_void, size: size_t) -> *mut c_void {
    // SAFETY: as for `allocate` and `free`.
    unsafe {
        if block.is_null() {
            return allocate(opaque, size);
        }
        if size == 0 {
            free(opaque, block);
            return ptr::null_mut();
        }
        let old_size = size_of_class(class_at(block.cast()));
        let Some((class, block_size)) = class_of(bytes(size)) else { return ptr::null_mut() };
        if block_size == old_size {
            return block;
        }
        let base = opaque.cast::<u8>();
        let state = &mut *opaque.cast::<State>();
        let offset = block.cast::<u8>().offset_from(base).unsigned_abs();
        // What stands at the end grows and shrinks in place: texts that are put together would otherwise leave holes.
        if offset + old_size == state.end && state.limit - offset >= block_size {
            block.cast::<u8>().sub(HEADER).cast::<usize>().write(class);
            state.end = offset + block_size;
            state.peak = state.peak.max(state.end);
            return block;
        }
        let new = allocate(opaque, size);
        if !new.is_null() {
            ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast::<u8>(), old_size.min(bytes(size)));
            free(opaque, block);
        }
        new
    }
}

pub(crate) unsafe extern "C" fn usable_size(block: *const c_void) -> size_t {
    // SAFETY: QuickJS asks about blocks that it has.
    if block.is_null() { 0 } else { unsafe { size_of_class(class_at(block.cast())) as size_t } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_its_sizes() {
        let mut before = 0;
        for size in (1..5000).chain([65_535, 65_536, 65_537, 1 << 20, (1 << 20) + 1, 48 << 20]) {
            let (class, block) = class_of(size).unwrap();
            assert!(block >= size && block % 16 == 0, "{size} {block}");
            assert_eq!(size_of_class(class), block, "{size}");
            assert!(class >= before);
            before = class;
        }
        assert_eq!(class_of(usize::MAX), None);
    }

    #[test]
    fn what_was_saved_comes_back_and_the_limit_is_strict() {
        let mut arena = Arena::new(1 << 20).unwrap();
        let opaque = arena.opaque();
        // SAFETY: blocks are used while they are allocated.
        unsafe {
            let kept = allocate(opaque, 100).cast::<u8>();
            kept.write_bytes(7, 100);
            arena.save();
            let grown = reallocate(opaque, kept.cast(), 5000).cast::<u8>();
            grown.write_bytes(9, 5000);
            let mut count = 0;
            while !allocate(opaque, 10_000).is_null() {
                count += 1;
            }
            assert!(count > 80 && arena.peak() <= 1 << 20);
            arena.restore();
            assert_eq!(std::slice::from_raw_parts(kept, 100), [7; 100]);
            let zeroed = allocate_zeroed(opaque, 100, 100).cast::<u8>();
            assert_eq!(std::slice::from_raw_parts(zeroed, 10_000), [0; 10_000]);
            free(opaque, zeroed.cast());
            assert_eq!(allocate(opaque, 9_999).cast::<u8>(), zeroed);
        }
    }
}
