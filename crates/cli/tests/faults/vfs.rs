//! A VFS for SQLite that asks a [`Disk`] before each call and hands it on to the system's own.
//!
//! It becomes the default of this test process, so the program needs no door for it: whatever it opens goes through here.
//! Files that are not on a watched disk pass untouched.
//!
//! This is the one file with `unsafe`, since a VFS is a table of C functions. What it relies on:
//! - SQLite gives `x_open` `szOsFile` bytes, aligned to eight. They hold a [`Shim`] and, behind it, the
//!   system's own file; both live until `x_close`.
//! - SQLite does not call two functions of one file at the same time, and none after `x_close`.
//! - Buffers are as long as the call says.
//! - Nothing here unwinds into C: a panic in an `extern "C"` function ends the process.
//!
//! Version 2 of the table has no `xFetch`: SQLite then reads by `xRead`, where faults can be put, and not by `mmap`.
#![allow(unsafe_code, clippy::missing_safety_doc)]

use crate::disk::{Call, Disk, Event, Failure};
use rusqlite::ffi;
use std::cell::Cell;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, Once};

/// The head of an open file. `methods` comes first, as SQLite wants it.
#[repr(C)]
struct Shim {
    methods: *const ffi::sqlite3_io_methods,
    /// From `Box::into_raw`; null for a file that is not watched.
    watched: *mut Watched,
}

struct Watched {
    disk: Arc<Disk>,
    name: String,
    /// Whether the next sync reaches the folder, too. The system's VFS does that once for a log or journal it may have made.
    folder: Cell<bool>,
}

const NEW_JOURNAL: c_int = ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_SUPER_JOURNAL;

/// Makes this the VFS of the process.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a null name asks for the default VFS, which lives as long as the process. The copy is leaked and so
        // lives as long. Functions other than those replaced do not look at the table they are called with.
        unsafe {
            let system = ffi::sqlite3_vfs_find(std::ptr::null());
            assert!(!system.is_null(), "SQLite has a VFS");
            let shim = Box::leak(Box::new(*system));
            shim.szOsFile += c_int::try_from(size_of::<Shim>()).expect("small");
            shim.zName = c"faults".as_ptr();
            shim.pNext = std::ptr::null_mut();
            shim.pAppData = system.cast();
            shim.xOpen = Some(x_open);
            shim.xDelete = Some(x_delete);
            assert_eq!(ffi::sqlite3_vfs_register(shim, 1), ffi::SQLITE_OK);
        }
    });
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(x_close),
    xRead: Some(x_read),
    xWrite: Some(x_write),
    xTruncate: Some(x_truncate),
    xSync: Some(x_sync),
    xFileSize: Some(x_file_size),
    xLock: Some(x_lock),
    xUnlock: Some(x_unlock),
    xCheckReservedLock: Some(x_check_reserved_lock),
    xFileControl: Some(x_file_control),
    xSectorSize: Some(x_sector_size),
    xDeviceCharacteristics: Some(x_device_characteristics),
    xShmMap: Some(x_shm_map),
    xShmLock: Some(x_shm_lock),
    xShmBarrier: Some(x_shm_barrier),
    xShmUnmap: Some(x_shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The system's file behind ours.
unsafe fn real(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: `szOsFile` made room for both.
    unsafe { file.cast::<Shim>().add(1).cast() }
}

unsafe fn watched<'a>(file: *mut ffi::sqlite3_file) -> Option<&'a Watched> {
    // SAFETY: null, or from `x_open` and not yet taken back by `x_close`.
    unsafe { (*file.cast::<Shim>()).watched.as_ref() }
}

unsafe fn fails(file: *mut ffi::sqlite3_file, call: Call) -> Option<Failure> {
    // SAFETY: as for `watched`.
    unsafe { watched(file) }.and_then(|watched| watched.disk.fails(call))
}

unsafe fn system(vfs: *mut ffi::sqlite3_vfs) -> *mut ffi::sqlite3_vfs {
    // SAFETY: `install` put it there.
    unsafe { (*vfs).pAppData.cast() }
}

unsafe fn watch(name: *const c_char, flags: c_int) -> Option<Watched> {
    if name.is_null() {
        return None;
    }
    // SAFETY: SQLite's names end with a zero.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()));
    let folder = Cell::new(flags & ffi::SQLITE_OPEN_CREATE != 0 && flags & NEW_JOURNAL != 0);
    Some(Watched { disk: Disk::of(path)?, name: path.file_name()?.to_string_lossy().into_owned(), folder })
}

unsafe extern "C" fn x_open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: see the head of this file. Without methods SQLite does not close the file.
    unsafe {
        let shim = file.cast::<Shim>();
        (*shim).methods = std::ptr::null();
        let watched = watch(name, flags);
        if watched.as_ref().is_some_and(|watched| watched.disk.fails(Call::Open).is_some()) {
            return ffi::SQLITE_CANTOPEN;
        }
        let system = system(vfs);
        let code = (*system).xOpen.map_or(ffi::SQLITE_ERROR, |open| open(system, name, real(file), flags, out));
        if code == ffi::SQLITE_OK {
            (*shim).methods = &raw const METHODS;
            (*shim).watched = watched.map_or(std::ptr::null_mut(), |watched| Box::into_raw(Box::new(watched)));
        }
        code
    }
}

unsafe extern "C" fn x_delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    // SAFETY: see the head of this file.
    unsafe {
        let watched = watch(name, 0);
        if watched.as_ref().is_some_and(|watched| watched.disk.fails(Call::Delete).is_some()) {
            return ffi::SQLITE_IOERR_DELETE;
        }
        let system = system(vfs);
        let code = (*system).xDelete.map_or(ffi::SQLITE_ERROR, |delete| delete(system, name, sync));
        if let (ffi::SQLITE_OK, Some(Watched { disk, name, .. })) = (code, watched) {
            disk.note(|| Event::Delete { file: name, folder: sync != 0 });
        }
        code
    }
}

/// Calls a function of the system's file.
macro_rules! real {
    ($file:ident . $function:ident ( $($argument:expr),* )) => {{
        let real = real($file);
        match (*(*real).pMethods).$function {
            Some(function) => function(real, $($argument),*),
            None => ffi::SQLITE_ERROR,
        }
    }};
}

unsafe extern "C" fn x_close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: see the head of this file. The box is taken back once: SQLite closes a file once.
    unsafe {
        let watched = std::mem::replace(&mut (*file.cast::<Shim>()).watched, std::ptr::null_mut());
        if !watched.is_null() {
            drop(Box::from_raw(watched));
        }
        real!(file.xClose())
    }
}

unsafe extern "C" fn x_read(file: *mut ffi::sqlite3_file, into: *mut c_void, len: c_int, offset: i64) -> c_int {
    // SAFETY: see the head of this file.
    unsafe {
        match fails(file, Call::Read) {
            Some(_) => ffi::SQLITE_IOERR_READ,
            None => real!(file.xRead(into, len, offset)),
        }
    }
}

unsafe extern "C" fn x_write(file: *mut ffi::sqlite3_file, from: *const c_void, len: c_int, offset: i64) -> c_int {
    // SAFETY: see the head of this file.
    unsafe {
        let failure = fails(file, Call::Write);
        let written = match failure {
            None => len,
            Some(Failure::Short) => len / 2,
            Some(Failure::Broken | Failure::Full) => 0,
        };
        if written > 0 {
            let code = real!(file.xWrite(from, written, offset));
            if code != ffi::SQLITE_OK {
                return code;
            }
            if let Some(Watched { disk, name, .. }) = watched(file) {
                let bytes = std::slice::from_raw_parts(from.cast::<u8>(), usize::try_from(written).unwrap_or(0));
                let offset = u64::try_from(offset).unwrap_or(0);
                disk.note(|| Event::Write { file: name.clone(), offset, bytes: bytes.to_vec() });
            }
        }
        match failure {
            None => ffi::SQLITE_OK,
            Some(Failure::Broken) => ffi::SQLITE_IOERR_WRITE,
            Some(Failure::Full | Failure::Short) => ffi::SQLITE_FULL,
        }
    }
}

unsafe extern "C" fn x_truncate(file: *mut ffi::sqlite3_file, len: i64) -> c_int {
    // SAFETY: see the head of this file.
    unsafe {
        if fails(file, Call::Truncate).is_some() {
            return ffi::SQLITE_IOERR_TRUNCATE;
        }
        let code = real!(file.xTruncate(len));
        if let (ffi::SQLITE_OK, Some(Watched { disk, name, .. })) = (code, watched(file)) {
            disk.note(|| Event::Truncate { file: name.clone(), len: u64::try_from(len).unwrap_or(0) });
        }
        code
    }
}

unsafe extern "C" fn x_sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: see the head of this file.
    unsafe {
        let Some(Watched { disk, name, folder }) = watched(file) else { return real!(file.xSync(flags)) };
        if disk.fails(Call::Sync).is_some() {
            disk.note(|| Event::FailedSync { file: name.clone() });
            return ffi::SQLITE_IOERR_FSYNC;
        }
        // What a sync does to a watched disk is a matter of the event alone; the machine's own disk may rest.
        disk.note(|| Event::Sync { file: name.clone(), folder: folder.take() });
        ffi::SQLITE_OK
    }
}

unsafe extern "C" fn x_file_size(file: *mut ffi::sqlite3_file, size: *mut i64) -> c_int {
    // SAFETY: see the head of this file.
    unsafe {
        match fails(file, Call::Size) {
            Some(_) => ffi::SQLITE_IOERR_FSTAT,
            None => real!(file.xFileSize(size)),
        }
    }
}

unsafe extern "C" fn x_lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { real!(file.xLock(level)) }
}

unsafe extern "C" fn x_unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { real!(file.xUnlock(level)) }
}

unsafe extern "C" fn x_check_reserved_lock(file: *mut ffi::sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { real!(file.xCheckReservedLock(out)) }
}

unsafe extern "C" fn x_file_control(file: *mut ffi::sqlite3_file, what: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { real!(file.xFileControl(what, argument)) }
}

unsafe extern "C" fn x_sector_size(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { real!(file.xSectorSize()) }
}

unsafe extern "C" fn x_device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { real!(file.xDeviceCharacteristics()) }
}

unsafe extern "C" fn x_shm_map(
    file: *mut ffi::sqlite3_file,
    page: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: see the head of this file. SQLite looks at `out` only after a success.
    unsafe {
        match fails(file, Call::Map) {
            Some(Failure::Broken) => ffi::SQLITE_IOERR_SHMMAP,
            Some(Failure::Full | Failure::Short) => ffi::SQLITE_IOERR_SHMSIZE,
            None => real!(file.xShmMap(page, size, extend, out)),
        }
    }
}

unsafe extern "C" fn x_shm_lock(file: *mut ffi::sqlite3_file, offset: c_int, count: c_int, flags: c_int) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { real!(file.xShmLock(offset, count, flags)) }
}

unsafe extern "C" fn x_shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: see the head of this file.
    unsafe {
        let real = real(file);
        if let Some(barrier) = (*(*real).pMethods).xShmBarrier {
            barrier(real);
        }
    }
}

unsafe extern "C" fn x_shm_unmap(file: *mut ffi::sqlite3_file, delete: c_int) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { real!(file.xShmUnmap(delete)) }
}
