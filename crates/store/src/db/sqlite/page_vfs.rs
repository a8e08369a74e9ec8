//! A VFS for SQLite that keeps a checksum at the end of each page of a database file, and stands before the system's own.
//!
//! A page gets its checksum whenever it is written to the database file, which in WAL mode happens at a checkpoint,
//! and is compared whenever it is read from there. A page that differs is `SQLITE_IOERR_DATA`, for the statement that needed it alone.
//! Writes to a log are put together (`log.rs`); journals and temporary files pass as they are. `file.rs` decides what a read or a write of
//! pages does, without `unsafe`.
//!
//! This is the one part of the crate with `unsafe`, since a VFS is a table of C functions. What it relies on:
//! - SQLite gives `x_open` the `szOsFile` bytes of our VFS, aligned to eight: they hold an [`OpenFile`], from a successful `x_open` to
//!   `x_close`. The system's own file is in memory of its own, since the default VFS may become another one with a larger file.
//! - SQLite does not call two functions of one file at the same time, and none after `x_close`.
//! - Buffers are as long as the call says, names end with a zero and live as long as their file.
//! - Nothing here unwinds into C: a panic in an `extern "C"` function ends the process, and none of these functions panics.
//!
//! Version 2 of the table has no `xFetch`: SQLite then reads by `xRead`, and maps nothing into memory past the checksums.
#![allow(unsafe_code)]

mod file;
mod log;
mod shared;

use super::pages;
use file::{PagedFile, Reading, Refused};
use log::LogWrites;
use rusqlite::{Connection, ffi};
pub use shared::{SharedFile, Writes, shared};
use std::cell::Cell;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

const NAME: &CStr = c"tavernkeep-pages";

/// The name of the VFS, which is registered with SQLite at the first call.
pub fn name() -> rusqlite::Result<&'static CStr> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    match *REGISTERED.get_or_init(register) {
        ffi::SQLITE_OK => Ok(NAME),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some("no VFS can be registered".into()))),
    }
}

/// Makes a connection keep room for checksums in a file that has no pages yet, or when it is vacuumed.
pub fn reserve_bytes(connection: &Connection) -> rusqlite::Result<()> {
    file_control_reserve(connection, pages::RESERVED as c_int).map(drop)
}

/// How many bytes the pages of a database keep, as a reader of it and its log sees it.
pub fn reserved_bytes(connection: &Connection) -> rusqlite::Result<usize> {
    // The first page is known once something was read.
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    // A negative number changes nothing.
    file_control_reserve(connection, -1).map(|bytes| usize::try_from(bytes).unwrap_or(0))
}

/// Sets how many bytes pages keep, and returns how many they kept before.
fn file_control_reserve(connection: &Connection, mut bytes: c_int) -> rusqlite::Result<c_int> {
    // SAFETY: the handle is that of an open connection, which the call does not keep; this operation reads and writes one `int`.
    let code = unsafe {
        let argument = (&raw mut bytes).cast();
        ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), ffi::SQLITE_FCNTL_RESERVE_BYTES, argument)
    };
    match code {
        ffi::SQLITE_OK => Ok(bytes),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

thread_local! {
    static DAMAGED: Cell<u32> = const { Cell::new(0) };
}

/// The page for which a statement of this thread got `SQLITE_IOERR_DATA` last.
pub fn damaged_page() -> u32 {
    DAMAGED.get()
}

/// An open file of ours. `methods` comes first, as SQLite wants it.
#[repr(C)]
struct OpenFile {
    methods: *const ffi::sqlite3_io_methods,
    /// The system's file: from `allocate`, until `x_close`.
    system: *mut ffi::sqlite3_file,
    /// From `Box::into_raw`, until `x_close`; null for a file without pages, such as a log.
    paged: *mut PagedFile,
    /// The same for a write-ahead log; null for other files.
    log: *mut LogWrites,
}

fn register() -> c_int {
    // SAFETY: a null name asks for the default VFS, which lives as long as the process. The copy is leaked and so lives as
    // long. The functions that are copied do not look at the table they are called with.
    unsafe {
        let system = ffi::sqlite3_vfs_find(std::ptr::null());
        if system.is_null() {
            return ffi::SQLITE_ERROR;
        }
        let vfs = Box::leak(Box::new(*system));
        vfs.szOsFile = size_of::<OpenFile>() as c_int;
        vfs.zName = NAME.as_ptr();
        vfs.pNext = std::ptr::null_mut();
        vfs.pAppData = std::ptr::null_mut();
        vfs.xOpen = Some(x_open);
        vfs.xDelete = Some(x_delete);
        vfs.xAccess = Some(x_access);
        vfs.xFullPathname = Some(x_full_pathname);
        ffi::sqlite3_vfs_register(vfs, 0)
    }
}

/// Calls a function of the default VFS: a test may have put another one before the system's.
macro_rules! default_vfs {
    ($function:ident ( $($argument:expr),* )) => {{
        let default = ffi::sqlite3_vfs_find(std::ptr::null());
        match default.as_ref().and_then(|vfs| vfs.$function) {
            Some(function) => function(default, $($argument),*),
            None => ffi::SQLITE_ERROR,
        }
    }};
}

unsafe extern "C" fn x_delete(_: *mut ffi::sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    // SAFETY: the arguments are passed on as they came.
    unsafe { default_vfs!(xDelete(name, sync)) }
}

unsafe extern "C" fn x_access(_: *mut ffi::sqlite3_vfs, name: *const c_char, flags: c_int, out: *mut c_int) -> c_int {
    // SAFETY: the arguments are passed on as they came.
    unsafe { default_vfs!(xAccess(name, flags, out)) }
}

unsafe extern "C" fn x_full_pathname(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    len: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: the arguments are passed on as they came; every VFS of a process is one of the system's, whose names are equally long.
    unsafe { default_vfs!(xFullPathname(name, len, out)) }
}

unsafe extern "C" fn x_open(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: see the head of this file. Without methods SQLite does not close the file. Memory of `sqlite3_malloc64` is aligned to eight,
    // and zeros are a file that is not open.
    unsafe {
        let ours = file.cast::<OpenFile>();
        (*ours).methods = std::ptr::null();
        // Asked for once: the memory is as large as the files of this VFS, so this one has to open it.
        let vfs = ffi::sqlite3_vfs_find(std::ptr::null());
        let Some(default) = vfs.as_ref() else { return ffi::SQLITE_CANTOPEN };
        let size = u64::try_from(default.szOsFile).unwrap_or(0);
        let system = ffi::sqlite3_malloc64(size).cast::<ffi::sqlite3_file>();
        if system.is_null() {
            return ffi::SQLITE_NOMEM;
        }
        system.cast::<u8>().write_bytes(0, usize::try_from(size).unwrap_or(0));
        let code = match default.xOpen {
            Some(open) => open(vfs, name, system, flags, out),
            None => ffi::SQLITE_CANTOPEN,
        };
        if code != ffi::SQLITE_OK {
            // A VFS may want a file that it could not open closed all the same.
            if !(*system).pMethods.is_null()
                && let Some(close) = (*(*system).pMethods).xClose
            {
                close(system);
            }
            ffi::sqlite3_free(system.cast());
            return code;
        }
        let name = if name.is_null() { &[] } else { CStr::from_ptr(name).to_bytes() };
        let shared = |name: &[u8]| shared(Path::new(OsStr::from_bytes(name)));
        let paged = if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 && !name.is_empty() {
            Box::into_raw(Box::new(PagedFile::new(shared(name))))
        } else {
            std::ptr::null_mut()
        };
        let log = match name.strip_suffix(b"-wal") {
            Some(name) if flags & ffi::SQLITE_OPEN_WAL != 0 => Box::into_raw(Box::new(LogWrites::new(shared(name)))),
            _ => std::ptr::null_mut(),
        };
        ours.write(OpenFile { methods: &raw const METHODS, system, paged, log });
        ffi::SQLITE_OK
    }
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

/// The system's file behind one of ours.
unsafe fn system(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: `x_open` put it there.
    unsafe { (*file.cast::<OpenFile>()).system }
}

unsafe fn paged<'a>(file: *mut ffi::sqlite3_file) -> Option<&'a mut PagedFile> {
    // SAFETY: null, or from `x_open` and not yet taken back by `x_close`. One call at a time uses it.
    unsafe { (*file.cast::<OpenFile>()).paged.as_mut() }
}

unsafe fn log<'a>(file: *mut ffi::sqlite3_file) -> Option<&'a mut LogWrites> {
    // SAFETY: as for `paged`.
    unsafe { (*file.cast::<OpenFile>()).log.as_mut() }
}

/// Calls a function of the system's file.
macro_rules! system {
    ($file:ident . $function:ident ( $($argument:expr),* )) => {{
        let system = system($file);
        match (*(*system).pMethods).$function {
            Some(function) => function(system, $($argument),*),
            None => ffi::SQLITE_ERROR,
        }
    }};
}

/// Writes bytes to the system's file.
unsafe fn write_through(file: *mut ffi::sqlite3_file, at: u64, bytes: &[u8]) -> c_int {
    let (Ok(offset), Ok(len)) = (i64::try_from(at), c_int::try_from(bytes.len())) else {
        return ffi::SQLITE_IOERR_WRITE;
    };
    // SAFETY: the bytes are as long as the call says.
    unsafe { system!(file.xWrite(bytes.as_ptr().cast(), len, offset)) }
}

/// Writes what waits to be written to a log. Whatever else is done with the file comes after that.
unsafe fn flush_log(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: see the head of this file.
    unsafe { log(file).map_or(ffi::SQLITE_OK, |log| log.flush(|at, bytes| write_through(file, at, bytes))) }
}

unsafe extern "C" fn x_close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: see the head of this file. What `x_open` made is taken back once: SQLite closes a file once. Frames of a log that wait
    // belong to no commit.
    unsafe {
        let OpenFile { system, paged, log, .. } = file.cast::<OpenFile>().read();
        let code = system!(file.xClose());
        ffi::sqlite3_free(system.cast());
        if !paged.is_null() {
            drop(Box::from_raw(paged));
        }
        if !log.is_null() {
            drop(Box::from_raw(log));
        }
        code
    }
}

fn damaged(number: u32) -> c_int {
    DAMAGED.set(number);
    ffi::SQLITE_IOERR_DATA
}

unsafe extern "C" fn x_read(file: *mut ffi::sqlite3_file, into: *mut c_void, len: c_int, offset: i64) -> c_int {
    // SAFETY: see the head of this file. A slice of `into` is made after the system's file has filled it.
    unsafe {
        if let (Some(log), Ok(size), Ok(at)) = (log(file), usize::try_from(len), u64::try_from(offset)) {
            let flushed = log.flush(|at, bytes| write_through(file, at, bytes));
            return match (flushed, log.refuses_read(at, size)) {
                (ffi::SQLITE_OK, None) => system!(file.xRead(into, len, offset)),
                (ffi::SQLITE_OK, Some(code)) | (code, _) => code,
            };
        }
        let (Some(paged), Ok(size), Ok(at)) = (paged(file), usize::try_from(len), u64::try_from(offset)) else {
            return system!(file.xRead(into, len, offset));
        };
        let reading = paged.reading(at, size);
        if let Reading::PartOf { number, page_size } = reading {
            let page = paged.buffer(page_size);
            let code = system!(file.xRead(page.as_mut_ptr().cast(), page_size as c_int, offset));
            if code == ffi::SQLITE_OK && !pages::is_intact(page, number) {
                return damaged(number);
            }
            // A file that ends within the page has zeros for the rest in the buffer.
            std::ptr::copy_nonoverlapping(page.as_ptr(), into.cast::<u8>(), size);
            return code;
        }
        let code = system!(file.xRead(into, len, offset));
        if code != ffi::SQLITE_OK {
            return code;
        }
        let bytes = std::slice::from_raw_parts(into.cast::<u8>(), size);
        match reading {
            _ if at == 0 && size >= pages::HEAD => match paged.learn_from_read(bytes) {
                true => code,
                false => damaged(1),
            },
            Reading::Page(number) if !pages::is_intact(bytes, number) => damaged(number),
            _ => code,
        }
    }
}

unsafe extern "C" fn x_write(file: *mut ffi::sqlite3_file, from: *const c_void, len: c_int, offset: i64) -> c_int {
    // SAFETY: see the head of this file. What is written in place of `from` is as long.
    unsafe {
        if let (Some(log), Ok(size), Ok(at)) = (log(file), usize::try_from(len), u64::try_from(offset)) {
            let bytes = std::slice::from_raw_parts(from.cast::<u8>(), size);
            return log.write(at, bytes, |at, bytes| write_through(file, at, bytes));
        }
        let (Some(paged), Ok(size), Ok(at)) = (paged(file), usize::try_from(len), u64::try_from(offset)) else {
            return system!(file.xWrite(from, len, offset));
        };
        let bytes = std::slice::from_raw_parts(from.cast::<u8>(), size);
        let read_head = || {
            let mut head = [0; pages::HEAD];
            match system!(file.xRead(head.as_mut_ptr().cast(), pages::HEAD as c_int, 0)) {
                // What a new file does not have yet is zero.
                ffi::SQLITE_OK | ffi::SQLITE_IOERR_SHORT_READ => Ok(head),
                code => Err(code),
            }
        };
        let shared = Arc::clone(&paged.shared);
        shared.writing(|| match paged.writing(at, bytes, read_head) {
            Ok(stamped) => {
                let page = stamped.unwrap_or(bytes);
                let code = system!(file.xWrite(page.as_ptr().cast(), len, offset));
                // After an error nobody knows what stands there.
                shared.note_page(at, Some(page).filter(|_| code == ffi::SQLITE_OK));
                code
            }
            Err(Refused::Unreadable(code)) => code,
            Err(Refused::HeadDiffers) => {
                tracing::error!(
                    "a page 1 without room for checksums was to be written behind pages that have them; it is refused"
                );
                ffi::SQLITE_IOERR_WRITE
            }
        })
    }
}

unsafe extern "C" fn x_truncate(file: *mut ffi::sqlite3_file, len: i64) -> c_int {
    // SAFETY: see the head of this file.
    unsafe {
        let Some(paged) = paged(file) else {
            return match flush_log(file) {
                ffi::SQLITE_OK => system!(file.xTruncate(len)),
                code => code,
            };
        };
        paged.shared.note_end(u64::try_from(len).unwrap_or(0));
        paged.shared.writing(|| system!(file.xTruncate(len)))
    }
}

/// Functions that pass their arguments on, behind what waits to be written to a log.
macro_rules! flushed {
    ($($name:ident $function:ident ( $($argument:ident: $kind:ty),* );)+) => {$(
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $kind)*) -> c_int {
            // SAFETY: see the head of this file.
            unsafe {
                match flush_log(file) {
                    ffi::SQLITE_OK => system!(file.$function($($argument),*)),
                    code => code,
                }
            }
        }
    )+};
}

flushed! {
    x_sync xSync(flags: c_int);
    x_file_size xFileSize(size: *mut i64);
    x_file_control xFileControl(what: c_int, argument: *mut c_void);
}

/// Functions that pass their arguments on as they came.
macro_rules! passed_on {
    ($($name:ident $function:ident ( $($argument:ident: $kind:ty),* );)+) => {$(
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $kind)*) -> c_int {
            // SAFETY: see the head of this file.
            unsafe { system!(file.$function($($argument),*)) }
        }
    )+};
}

passed_on! {
    x_lock xLock(level: c_int);
    x_unlock xUnlock(level: c_int);
    x_check_reserved_lock xCheckReservedLock(out: *mut c_int);
    x_sector_size xSectorSize();
    x_device_characteristics xDeviceCharacteristics();
    x_shm_map xShmMap(page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void);
    x_shm_unmap xShmUnmap(delete: c_int);
}

/// The first of the locks on a log is that for writing to it.
unsafe extern "C" fn x_shm_lock(file: *mut ffi::sqlite3_file, offset: c_int, count: c_int, flags: c_int) -> c_int {
    const GIVES_BACK: c_int = ffi::SQLITE_SHM_UNLOCK | ffi::SQLITE_SHM_EXCLUSIVE;
    // SAFETY: see the head of this file.
    unsafe {
        if offset == 0
            && flags & GIVES_BACK == GIVES_BACK
            && let Some(paged) = paged(file)
        {
            paged.shared.end_writer_turn();
        }
        system!(file.xShmLock(offset, count, flags))
    }
}

unsafe extern "C" fn x_shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: see the head of this file.
    unsafe {
        let system = system(file);
        if let Some(barrier) = (*(*system).pMethods).xShmBarrier {
            barrier(system);
        }
    }
}
