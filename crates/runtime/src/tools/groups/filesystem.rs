//! The group `filesystem`: read, list, search, write, edit and move files below configured folders, and nowhere else.
//!
//! A folder is opened once, and everything is reached from there with `openat2` and `RESOLVE_BENEATH`: the kernel itself refuses
//! `..`, absolute paths and symbolic links that lead out, at the moment of opening. So nothing can be exchanged between a check
//! and its use. Only regular files are read and written.

use crate::tools::{
    ExecutionPolicy, Permission, ResultPolicy, SkillRule, Tool, ToolCall, ToolError, ToolGroup, ToolOutput,
};
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Uid, fchmod, fchown, fstat, open, openat2,
    renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tavernkeep_engine::limits::{
    TOOL_FILE_BYTES_MAX, TOOL_FILE_ENTRIES_MAX, TOOL_FOLDER_DEPTH_MAX, TOOL_SEARCH_BYTES_MAX, TOOL_SEARCH_ENTRIES_MAX,
    TOOL_SEARCH_FILES_MAX,
};

struct Root {
    path: PathBuf,
    folder: OwnedFd,
}

/// The folders that the group may reach.
#[derive(Clone)]
struct Roots(Arc<Vec<Root>>);

type Done<T> = Result<T, String>;

const EDITING: &str = "# Changing files

1. Read the place first with `fs-View`, or find it with `fs-Grep`; `start` and `lines` keep the result short.
2. Change parts with `fs-Edit`: `search` must be in the file exactly once, so take some lines around the place into it.
3. `fs-WriteFile` with `create` never replaces a file; use `overwrite` only where all of the content is meant to change.
4. Put long content into a variable and pass it with `$VAR_REF{{name}}`.
5. Symbolic links are read but not changed: name the file that they lead to.
";

/// The group over these folders. Each must be there.
pub fn group(folders: &[PathBuf]) -> Result<ToolGroup, String> {
    let mut roots = Vec::new();
    for folder in folders {
        let failed = |error: &dyn std::fmt::Display| format!("the folder {} cannot be used: {error}", folder.display());
        let path = folder.canonicalize().map_err(|error| failed(&error))?;
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let opened = open(&path, flags, Mode::empty()).map_err(|error| failed(&error))?;
        roots.push(Root { path, folder: opened });
    }
    let roots = Roots(Arc::new(roots));
    let places: Vec<String> = roots.0.iter().map(|root| root.path.display().to_string()).collect();
    let text = |description: &str| json!({ "type": "string", "description": description });
    let number = |description: &str| json!({ "type": "integer", "description": description });
    let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required });
    let path = text("Inside an allowed folder; relative to the first one unless it is absolute.");
    let reading = || Permission::of(ExecutionPolicy::AskOnce, ResultPolicy::Always);
    let writing = || Permission::of(ExecutionPolicy::AskAlways, ResultPolicy::Never);
    let make =
        |name: &str, about: &str, parameters: Value, permission: Permission, run: fn(&Roots, &Value) -> Done<Value>| {
            let roots = roots.clone();
            Tool::new(name, about, parameters, move |call: ToolCall| {
                let roots = roots.clone();
                async move {
                    let work = tokio::task::spawn_blocking(move || run(&roots, &call.args));
                    let done = work.await.map_err(|error| ToolError::Thrown(error.to_string()))?;
                    done.map(ToolOutput::of).map_err(ToolError::failed)
                }
            })
            .with_permission(permission)
            .with_effect(json!({ "folders": places.clone() }))
        };
    let names: Vec<String> = places.iter().map(|path| format!("`{path}`")).collect();
    Ok(ToolGroup::new("filesystem", vec![
        make("fs-View", "Reads a text file, whole or some of its lines.",
            object(json!({ "path": path, "start": number("The first line, from 1."), "lines": number("How many lines.") }), &["path"]), reading(), view),
        make("fs-List", "Lists a folder.",
            object(json!({ "path": path, "depth": number("1 to 10; default 1.") }), &["path"]), reading(), list),
        make("fs-Grep", "Searches a file, or the files below a folder, for a text.",
            object(json!({ "path": path, "text": text("What to look for; not a pattern."), "name": text("Only files with this in their name."),
                "any_case": { "type": "boolean" } }), &["path", "text"]), reading(), search),
        make("fs-WriteFile", "Makes, replaces or extends a text file.",
            object(json!({ "path": path, "content": text("The text."), "mode": { "type": "string", "enum": ["create", "overwrite", "append"] } }),
                &["path", "content", "mode"]), writing(), write),
        make("fs-Edit", "Replaces a part of a text file. The part must be there once, unless all are replaced.",
            object(json!({ "path": path, "search": text("The part, exactly."), "replace": text("What comes there."), "all": { "type": "boolean" } }),
                &["path", "search", "replace"]), writing(), edit),
        make("fs-Move", "Moves or renames a file or folder. Nothing is replaced.",
            object(json!({ "from": path, "to": path }), &["from", "to"]), writing(), rename),
    ])
    .with_prompt(format!("Files can be reached below {} only.", names.join(", ")))
    .with_rule(SkillRule {
        name: "editing".into(),
        desc: "How to change files safely".into(),
        prompt: EDITING.into(),
        when: Some("Before the first change of a file".into()),
        always_load: false,
    }))
}

impl Roots {
    /// The folder that a path is below, and the rest of the path.
    fn find(&self, path: &str) -> Done<(&Root, PathBuf)> {
        if path.is_empty() || path.contains('\0') {
            return Err("the path is empty or has a NUL in it".into());
        }
        let path = Path::new(path);
        if path.is_absolute() {
            let found = self.0.iter().find_map(|root| Some((root, path.strip_prefix(&root.path).ok()?.to_owned())));
            return found
                .map(|(root, rest)| (root, if rest.as_os_str().is_empty() { ".".into() } else { rest }))
                .ok_or_else(|| format!("{} is outside of the allowed folders", path.display()));
        }
        self.0.first().map(|root| (root, path.to_owned())).ok_or_else(|| "there are no allowed folders".into())
    }
}

fn message(path: &Path, error: Errno) -> String {
    let path = path.display();
    match error {
        Errno::XDEV | Errno::LOOP => format!("{path} leads out of the allowed folders"),
        Errno::NOENT => format!("{path} does not exist"),
        Errno::EXIST => format!("{path} exists already"),
        Errno::NOSYS => "files cannot be reached safely on this system: it has no openat2".into(),
        other => format!("{path}: {other}"),
    }
}

/// Opens something below a folder; the kernel sees to it that it is below. `NONBLOCK`: a pipe must not make us wait.
fn open_below(root: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Done<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    loop {
        match openat2(root, path, flags, mode, resolve) {
            // Something was renamed at the same moment.
            Err(Errno::AGAIN | Errno::INTR) => {}
            other => return other.map_err(|error| message(path, error)),
        }
    }
}

/// Opens a regular file. A device or a pipe is refused before a byte of it is read.
fn open_file(root: &OwnedFd, path: &Path, flags: OFlags) -> Done<(File, u64)> {
    let opened = open_below(root, path, flags, Mode::empty())?;
    let stat = fstat(&opened).map_err(|error| message(path, error))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok((File::from(opened), u64::try_from(stat.st_size).unwrap_or(0))),
        FileType::Directory => Err(format!("{} is a folder", path.display())),
        _ => Err(format!("{} is no regular file", path.display())),
    }
}

fn read_text(root: &OwnedFd, path: &Path) -> Done<String> {
    let (file, size) = open_file(root, path, OFlags::RDONLY)?;
    let too_large = || format!("{} has more than {TOOL_FILE_BYTES_MAX} bytes", path.display());
    if size > TOOL_FILE_BYTES_MAX {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The size may be a lie, or may grow while we read.
    file.take(TOOL_FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    if bytes.len() as u64 > TOOL_FILE_BYTES_MAX {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|_| format!("{} is no text in UTF-8", path.display()))
}

fn text<'a>(args: &'a Value, name: &str) -> Done<&'a str> {
    args.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` must be text"))
}

fn view(roots: &Roots, args: &Value) -> Done<Value> {
    let (root, path) = roots.find(text(args, "path")?)?;
    let content = read_text(&root.folder, &path)?;
    let number = |name: &str| args.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    if number("start").is_none() && number("lines").is_none() {
        return Ok(content.into());
    }
    let skip = number("start").unwrap_or(1).saturating_sub(1);
    let lines: Vec<&str> = content.lines().skip(skip).take(number("lines").unwrap_or(usize::MAX)).collect();
    Ok(lines.join("\n").into())
}

/// Walks below a folder without following links. `each` says whether to go on.
fn walk(root: &OwnedFd, path: &Path, depth: usize, each: &mut dyn FnMut(&Path, FileType, u64) -> bool) -> Done<bool> {
    let folder = open_below(root, path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
    let entries = Dir::read_from(&folder).map_err(|error| message(path, error))?;
    let mut names: Vec<Vec<u8>> = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| message(path, error))?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(name.to_owned());
        }
        if names.len() > TOOL_SEARCH_FILES_MAX {
            break;
        }
    }
    names.sort();
    for name in names {
        use std::os::unix::ffi::OsStrExt as _;
        let name = std::ffi::OsStr::from_bytes(&name);
        let inner = if path == Path::new(".") { PathBuf::from(name) } else { path.join(name) };
        let Ok(stat) = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let kind = FileType::from_raw_mode(stat.st_mode);
        if !each(&inner, kind, u64::try_from(stat.st_size).unwrap_or(0)) {
            return Ok(false);
        }
        // A folder that was exchanged for a link that leads out is refused when it is opened.
        if kind == FileType::Directory && depth > 1 && !walk(root, &inner, depth - 1, each).unwrap_or(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn list(roots: &Roots, args: &Value) -> Done<Value> {
    let (root, path) = roots.find(text(args, "path")?)?;
    let depth = args
        .get("depth")
        .and_then(Value::as_u64)
        .map_or(1, |depth| usize::try_from(depth).unwrap_or(TOOL_FOLDER_DEPTH_MAX));
    let mut entries = Vec::new();
    let complete = walk(&root.folder, &path, depth.clamp(1, TOOL_FOLDER_DEPTH_MAX), &mut |path, kind, size| {
        let word = match kind {
            FileType::Directory => "folder",
            FileType::RegularFile => "file",
            FileType::Symlink => "link",
            _ => "other",
        };
        entries.push(json!({ "path": path.to_string_lossy(), "type": word, "size": size }));
        entries.len() < TOOL_FILE_ENTRIES_MAX
    })?;
    Ok(json!({ "entries": entries, "complete": complete }))
}

fn search(roots: &Roots, args: &Value) -> Done<Value> {
    let (root, path) = roots.find(text(args, "path")?)?;
    let any_case = args.get("any_case").and_then(Value::as_bool).unwrap_or(false);
    let fold = |text: &str| if any_case { text.to_lowercase() } else { text.to_owned() };
    let wanted = fold(text(args, "text")?);
    let name = args.get("name").and_then(Value::as_str).unwrap_or_default();
    if wanted.is_empty() {
        return Err("`text` must not be empty".into());
    }
    let (mut entries, mut files, mut bytes, mut matches) = (0, 0, 0, Vec::new());
    let mut look = |path: &Path, kind: FileType, size: u64| {
        entries += 1;
        if entries > TOOL_SEARCH_ENTRIES_MAX {
            return false;
        }
        if kind != FileType::RegularFile || !path.to_string_lossy().contains(name) || size > TOOL_FILE_BYTES_MAX {
            return true;
        }
        (files, bytes) = (files + 1, bytes + size);
        if files > TOOL_SEARCH_FILES_MAX || bytes > TOOL_SEARCH_BYTES_MAX {
            return false;
        }
        let Ok(content) = read_text(&root.folder, path) else { return true };
        for (number, line) in content.lines().enumerate().filter(|(_, line)| fold(line).contains(&wanted)) {
            let shown: String = line.chars().take(LINE_CHARACTERS_MAX).collect();
            matches.push(json!({ "path": path.to_string_lossy(), "line": number + 1, "text": shown }));
            if matches.len() >= TOOL_FILE_ENTRIES_MAX {
                return false;
            }
        }
        true
    };
    let complete = match open_file(&root.folder, &path, OFlags::RDONLY) {
        Ok((_, size)) => look(&path, FileType::RegularFile, size),
        Err(_) => walk(&root.folder, &path, TOOL_FOLDER_DEPTH_MAX, &mut look)?,
    };
    Ok(json!({ "matches": matches, "complete": complete }))
}

/// Characters that a search shows of a line.
const LINE_CHARACTERS_MAX: usize = 500;

/// The folder of a path and the name in it.
fn split(path: &Path) -> Done<(PathBuf, std::ffi::OsString)> {
    let name = match path.components().next_back() {
        Some(Component::Normal(name)) => name.to_owned(),
        _ => return Err(format!("{} names no file", path.display())),
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((parent.to_owned(), name))
}

/// Puts a text in the place of a file: a new file beside it takes its name, so a reader sees the old one or the new one. It keeps mode
/// and owner. A link is refused: the new file would take its place, and what it leads to would stay as it is.
fn replace(root: &OwnedFd, path: &Path, content: &str) -> Done<()> {
    let (parent, name) = split(path)?;
    let folder = open_below(root, &parent, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
    let old = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(|error| message(path, error))?;
    if FileType::from_raw_mode(old.st_mode) != FileType::RegularFile {
        return Err(format!("{} is a symbolic link; name the file that it leads to", path.display()));
    }
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| error.to_string())?;
    let temporary = format!(".tavernkeep-{:016x}", u64::from_le_bytes(random));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // Nobody else may read it before it has the old file's mode.
    let opened = rustix::fs::openat(&folder, &temporary, flags, Mode::from_raw_mode(0o600))
        .map_err(|error| message(path, error))?;
    // Only the superuser can give files away; for others they are their own anyway.
    let _ = fchown(&opened, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
    let moded = fchmod(&opened, Mode::from_raw_mode(old.st_mode)).map_err(|error| message(path, error));
    let written = moded.and_then(|()| {
        File::from(opened).write_all(content.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
    });
    let done =
        written.and_then(|()| renameat(&folder, &temporary, &folder, &name).map_err(|error| message(path, error)));
    if done.is_err() {
        // What is left over is ours alone.
        let _ = unlinkat(&folder, &temporary, AtFlags::empty());
    }
    done
}

fn write(roots: &Roots, args: &Value) -> Done<Value> {
    let (root, path) = roots.find(text(args, "path")?)?;
    let content = text(args, "content")?;
    if content.len() as u64 > TOOL_FILE_BYTES_MAX {
        return Err(format!("a file has at most {TOOL_FILE_BYTES_MAX} bytes"));
    }
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    match text(args, "mode")? {
        "create" => {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            let opened = open_below(&root.folder, &path, flags, Mode::from_raw_mode(0o644))?;
            File::from(opened).write_all(content.as_bytes()).map_err(failed)?;
        }
        "overwrite" => {
            // Only a file, and only one that can be reached, is replaced.
            drop(open_file(&root.folder, &path, OFlags::WRONLY)?);
            replace(&root.folder, &path, content)?;
        }
        "append" => {
            let (mut file, size) = open_file(&root.folder, &path, OFlags::WRONLY | OFlags::APPEND)?;
            if size + content.len() as u64 > TOOL_FILE_BYTES_MAX {
                return Err(format!("a file has at most {TOOL_FILE_BYTES_MAX} bytes"));
            }
            file.write_all(content.as_bytes()).map_err(failed)?;
        }
        other => return Err(format!("`mode` must be create, overwrite or append, not '{other}'")),
    }
    Ok(format!("wrote {} bytes to {}", content.len(), path.display()).into())
}

fn edit(roots: &Roots, args: &Value) -> Done<Value> {
    let (root, path) = roots.find(text(args, "path")?)?;
    let (search, with) = (text(args, "search")?, text(args, "replace")?);
    let content = read_text(&root.folder, &path)?;
    let count = if search.is_empty() { 0 } else { content.matches(search).count() };
    match count {
        0 => return Err(format!("{} does not have the part", path.display())),
        1 => {}
        _ if args.get("all").and_then(Value::as_bool).unwrap_or(false) => {}
        more => return Err(format!("{} has the part {more} times; make it longer, or replace all", path.display())),
    }
    let edited = content.replace(search, with);
    if edited.len() as u64 > TOOL_FILE_BYTES_MAX {
        return Err(format!("a file has at most {TOOL_FILE_BYTES_MAX} bytes"));
    }
    replace(&root.folder, &path, &edited)?;
    Ok(format!("replaced {count} part(s) of {}", path.display()).into())
}

fn rename(roots: &Roots, args: &Value) -> Done<Value> {
    let (from_root, from) = roots.find(text(args, "from")?)?;
    let (to_root, to) = roots.find(text(args, "to")?)?;
    let ((from_parent, from_name), (to_parent, to_name)) = (split(&from)?, split(&to)?);
    let folder = OFlags::RDONLY | OFlags::DIRECTORY;
    let from_folder = open_below(&from_root.folder, &from_parent, folder, Mode::empty())?;
    let to_folder = open_below(&to_root.folder, &to_parent, folder, Mode::empty())?;
    renameat_with(&from_folder, &from_name, &to_folder, &to_name, RenameFlags::NOREPLACE)
        .map_err(|error| message(&to, error))?;
    Ok(format!("moved {} to {}", from.display(), to.display()).into())
}
