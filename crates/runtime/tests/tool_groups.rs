//! The groups that ship, each met by those who want more than it gives: files outside of the roots, addresses inside of the
//! network, scripts that do not end.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::TOOL_SEARCH_ENTRIES_MAX;
use tavernkeep_runtime::order::{FloorStep, NewFloor, NewPage, NewSession};
use tavernkeep_runtime::tools::groups::web::{self, WebSettings, is_public};
use tavernkeep_runtime::tools::groups::{basic, filesystem, http, state};
use tavernkeep_runtime::tools::{
    ApprovalDecision, ApprovalScope, CallRequest, ExecuteStatus, ToolExecuteResult, ToolExecutor, ToolGroup,
};
use tavernkeep_runtime::{Database, Options, Runtime};

struct World {
    keep: Runtime,
    executor: ToolExecutor,
    session: Id,
    _folder: tempfile::TempDir,
}

/// A session with one group, enabled.
async fn with(group: ToolGroup) -> World {
    let folder = tempfile::tempdir().unwrap();
    let keep = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
    let account = Runtime::default_account();
    let session = keep.create_session(&account, NewSession::default()).await.unwrap().id;
    let mut executor = keep.tool_executor(&account, &session);
    let name = group.name.clone();
    executor.register_tool_group(group).await.unwrap();
    executor.toggle_group_enabled(&name, Some(true)).await.unwrap();
    World { keep, executor, session, _folder: folder }
}

impl World {
    async fn call(&self, tool: &str, args: Value) -> ToolExecuteResult {
        let request = CallRequest {
            tool: tool.into(),
            args,
            skip_execution_approval: true,
            skip_result_approval: true,
            ..CallRequest::default()
        };
        self.executor.execute_with(request).await.unwrap()
    }

    async fn gives(&self, tool: &str, args: Value) -> Value {
        let result = self.call(tool, args.clone()).await;
        assert_eq!(result.status, ExecuteStatus::Success, "{tool} {args}: {:?}", result.error);
        result.data.unwrap_or(Value::Null)
    }

    async fn fails(&self, tool: &str, args: Value, words: &str) {
        let result = self.call(tool, args.clone()).await;
        assert_eq!(result.status, ExecuteStatus::Error, "{tool} {args}: {:?}", result.data);
        let error = result.error.unwrap();
        assert!(error.contains(words), "{tool} {args}: {error}");
    }
}

fn files() -> tempfile::TempDir {
    let outer = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(outer.path().join("root/sub")).unwrap();
    std::fs::write(outer.path().join("secret.txt"), "secret").unwrap();
    std::fs::write(outer.path().join("root/a.txt"), "one\ntwo\nthree").unwrap();
    std::fs::write(outer.path().join("root/sub/中文 \n名.txt"), "needle here").unwrap();
    outer
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_read_and_written_below_the_root() {
    let outer = files();
    let root = outer.path().join("root");
    let world = with(filesystem::group(std::slice::from_ref(&root)).unwrap()).await;
    assert_eq!(world.gives("fs-View", json!({"path": "a.txt"})).await, "one\ntwo\nthree");
    assert_eq!(world.gives("fs-View", json!({"path": root.join("a.txt"), "start": 2, "lines": 1})).await, "two");
    let list = world.gives("fs-List", json!({"path": ".", "depth": 3})).await;
    assert_eq!(list["entries"].as_array().unwrap().len(), 3, "{list}");
    let found = world.gives("fs-Grep", json!({"path": ".", "text": "NEEDLE", "any_case": true})).await;
    assert_eq!(found["matches"][0]["path"], "sub/中文 \n名.txt");
    let found = world.gives("fs-Grep", json!({"path": "a.txt", "text": "two"})).await;
    assert_eq!(found["matches"], json!([{"path": "a.txt", "line": 2, "text": "two"}]));
    world.gives("fs-WriteFile", json!({"path": "new.txt", "content": "x", "mode": "create"})).await;
    world.fails("fs-WriteFile", json!({"path": "new.txt", "content": "x", "mode": "create"}), "exists already").await;
    world.gives("fs-WriteFile", json!({"path": "new.txt", "content": "y", "mode": "append"})).await;
    world.gives("fs-Edit", json!({"path": "new.txt", "search": "xy", "replace": "z z"})).await;
    world.fails("fs-Edit", json!({"path": "new.txt", "search": "z", "replace": "q"}), "2 times").await;
    world.gives("fs-Edit", json!({"path": "new.txt", "search": "z", "replace": "q", "all": true})).await;
    let mode = |mode: u32| std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(root.join("a.txt"), mode(0o750)).unwrap();
    world.gives("fs-WriteFile", json!({"path": "a.txt", "content": "over", "mode": "overwrite"})).await;
    let kept = std::fs::metadata(root.join("a.txt")).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&kept) & 0o7777, 0o750, "the file keeps its mode");
    world.gives("fs-Move", json!({"from": "new.txt", "to": "sub/moved.txt"})).await;
    world.fails("fs-Move", json!({"from": "a.txt", "to": "sub/moved.txt"}), "exists already").await;
    assert_eq!(std::fs::read_to_string(root.join("sub/moved.txt")).unwrap(), "q q");
    assert_eq!(std::fs::read_to_string(root.join("a.txt")).unwrap(), "over");
    assert!(
        std::fs::read_dir(&root).unwrap().all(|entry| !entry
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with(".tavernkeep"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_leads_out_of_the_root() {
    let outer = files();
    let root = outer.path().join("root");
    symlink(outer.path().join("secret.txt"), root.join("link")).unwrap();
    symlink("../secret.txt", root.join("relative")).unwrap();
    symlink(outer.path(), root.join("folder")).unwrap();
    symlink("/proc/self/root", root.join("magic")).unwrap();
    symlink("a.txt", root.join("inside")).unwrap();
    let world = with(filesystem::group(std::slice::from_ref(&root)).unwrap()).await;
    for path in ["../secret.txt", "sub/../../secret.txt", "link", "relative", "folder/secret.txt", "magic/etc/passwd"] {
        world.fails("fs-View", json!({"path": path}), "leads out").await;
        for mode in ["overwrite", "append"] {
            world.fails("fs-WriteFile", json!({"path": path, "content": "x", "mode": mode}), "leads out").await;
        }
        world.fails("fs-Edit", json!({"path": path, "search": "s", "replace": "x"}), "leads out").await;
    }
    for path in ["/etc/passwd", outer.path().join("secret.txt").to_str().unwrap()] {
        world.fails("fs-View", json!({"path": path}), "outside").await;
    }
    world.fails("fs-WriteFile", json!({"path": "../new", "content": "x", "mode": "create"}), "leads out").await;
    world.fails("fs-WriteFile", json!({"path": "folder/new", "content": "x", "mode": "create"}), "leads out").await;
    world.fails("fs-Move", json!({"from": "a.txt", "to": "../stolen"}), "leads out").await;
    world.fails("fs-Move", json!({"from": "folder/secret.txt", "to": "stolen"}), "leads out").await;
    world.fails("fs-View", json!({"path": "a\u{0}b"}), "NUL").await;
    world.fails("fs-View", json!({"path": ""}), "empty").await;
    // A link that stays inside is no harm; a search follows none.
    assert_eq!(world.gives("fs-View", json!({"path": "inside"})).await, "one\ntwo\nthree");
    // To change it would put a file in its place and leave the other file as it is.
    world.fails("fs-Edit", json!({"path": "inside", "search": "one", "replace": "1"}), "symbolic link").await;
    world.fails("fs-WriteFile", json!({"path": "inside", "content": "x", "mode": "overwrite"}), "symbolic link").await;
    assert!(std::fs::symlink_metadata(root.join("inside")).unwrap().is_symlink());
    let found = world.gives("fs-Grep", json!({"path": ".", "text": "secret"})).await;
    assert_eq!(found["matches"], json!([]));
    let list = world.gives("fs-List", json!({"path": ".", "depth": 10})).await.to_string();
    assert!(!list.contains("secret.txt"), "{list}");
    assert_eq!(std::fs::read_to_string(outer.path().join("secret.txt")).unwrap(), "secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_pipes_and_huge_files_are_refused() {
    let outer = files();
    let root = outer.path().join("root");
    let pipe = std::ffi::CString::new(root.join("pipe").to_str().unwrap()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    std::fs::File::create(root.join("huge")).unwrap().set_len(1 << 40).unwrap();
    std::fs::write(root.join("binary"), [0xff, 0xfe, 0x00]).unwrap();
    let world = with(filesystem::group(&[root.clone(), "/dev".into()]).unwrap()).await;
    world.fails("fs-View", json!({"path": "pipe"}), "no regular file").await;
    world.fails("fs-View", json!({"path": "/dev/zero"}), "no regular file").await;
    world.fails("fs-View", json!({"path": "huge"}), "more than").await;
    world.fails("fs-View", json!({"path": "binary"}), "no text").await;
    world.fails("fs-View", json!({"path": "sub"}), "folder").await;
    world.fails("fs-Edit", json!({"path": "/dev/null", "search": "a", "replace": "b"}), "no regular file").await;
    world.gives("fs-Grep", json!({"path": ".", "text": "needle"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_names_and_loops_are_survived() {
    let outer = files();
    let root = outer.path().join("root");
    let raw: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"raw\xff\xfe.txt".as_slice());
    std::fs::write(root.join(raw), "needle raw").unwrap();
    let long = "n".repeat(255);
    for name in ["-rf", "*", "a b\t;$(id)`id`", "…", ".hidden", "CON", long.as_str()] {
        std::fs::write(root.join(name), "needle odd").unwrap();
    }
    symlink("loop-b", root.join("loop-a")).unwrap();
    symlink("loop-a", root.join("loop-b")).unwrap();
    symlink(".", root.join("self")).unwrap();
    let world = with(filesystem::group(std::slice::from_ref(&root)).unwrap()).await;
    for name in ["-rf", "*", "a b\t;$(id)`id`", "…", ".hidden", "CON", long.as_str(), "self/self/self/-rf"] {
        assert_eq!(world.gives("fs-View", json!({"path": name})).await, "needle odd", "{name:?}");
    }
    world.gives("fs-Move", json!({"from": "-rf", "to": "--"})).await;
    assert_eq!(std::fs::read_to_string(root.join("--")).unwrap(), "needle odd");
    for path in ["loop-a", "loop-b/x", &"x".repeat(256), &"d/".repeat(5_000), "a.txt/x", "~", "$HOME"] {
        let result = world.call("fs-View", json!({"path": path})).await;
        assert_eq!(result.status, ExecuteStatus::Error, "{path:.40}");
    }
    // A walk meets every file once, loops or not; a name that is no text is shown, if not to be opened.
    let list = world.gives("fs-List", json!({"path": ".", "depth": 10})).await;
    assert!(list.to_string().contains("raw"), "{list}");
    let found = world.gives("fs-Grep", json!({"path": ".", "text": "needle"})).await;
    assert_eq!(found["matches"].as_array().unwrap().len(), 9, "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exchange_between_check_and_use_leads_nowhere() {
    let outer = files();
    let root = outer.path().join("root");
    std::fs::create_dir(root.join("real")).unwrap();
    std::fs::write(root.join("real/secret.txt"), "harmless").unwrap();
    symlink(outer.path(), root.join("evil")).unwrap();
    symlink("real", root.join("swap")).unwrap();
    let world = with(filesystem::group(std::slice::from_ref(&root)).unwrap()).await;
    let stop = Arc::new(AtomicUsize::new(0));
    let (seen, place) = (Arc::clone(&stop), root.clone());
    let swapper = std::thread::spawn(move || {
        while seen.load(Ordering::Relaxed) == 0 {
            for target in ["real", outer_of(&place).as_str()] {
                let fresh = place.join("fresh");
                let _ = std::fs::remove_file(&fresh);
                symlink(target, &fresh).unwrap();
                std::fs::rename(&fresh, place.join("swap")).unwrap();
            }
        }
    });
    let mut harmless = 0;
    for _ in 0..200 {
        let result = world.call("fs-View", json!({"path": "swap/secret.txt"})).await;
        match result.data {
            Some(data) => {
                assert_eq!(data, "harmless");
                harmless += 1;
            }
            None => assert!(result.error.unwrap().contains("leads out")),
        }
        let wrote = world
            .call("fs-WriteFile", json!({"path": "swap/secret.txt", "content": "harmless", "mode": "overwrite"}))
            .await;
        assert!(wrote.error.is_none_or(|error| error.contains("leads out")));
    }
    stop.store(1, Ordering::Relaxed);
    swapper.join().unwrap();
    assert_eq!(std::fs::read_to_string(outer.path().join("secret.txt")).unwrap(), "secret");
    println!("{harmless} of 200 reads were inside");
}

fn outer_of(root: &Path) -> String {
    root.parent().unwrap().to_str().unwrap().to_owned()
}

/// A server on loopback that answers each request by what `answer` writes, and remembers them.
fn server(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), log, answer) = (stream, Arc::clone(&log), Arc::clone(&answer)) else { return };
            std::thread::spawn(move || {
                let request = read_request(&mut stream);
                log.lock().unwrap().push(request.clone());
                answer(&request, &mut stream);
            });
        }
    });
    (address, seen)
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).unwrap_or(0);
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { if count == 0 { return text } else { continue } };
        let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) || count == 0 {
            return text;
        }
    }
}

fn answer(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    );
}

#[test]
fn special_addresses_are_not_public() {
    for address in [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "240.0.0.1",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:db8::1",
        "2001::1",
    ] {
        assert!(!is_public(address.parse().unwrap()), "{address}");
    }
    for address in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"] {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_web_group_reaches_no_private_address() {
    let (inner, inner_seen) = server(|_, stream| answer(stream, "200 OK", "content-type: text/plain\r\n", "internal"));
    let (outer, _) = server(move |request, stream| match request.split(' ').nth(1).unwrap_or_default() {
        "/page" => answer(
            stream,
            "200 OK",
            "content-type: text/html\r\n",
            "<html><script>bad()</script><h1>Title</h1><p>Hello <b>you</b> &amp; <a href=\"http://x.example/\">all</a></p></html>",
        ),
        "/inside" => answer(stream, "302 Found", &format!("location: http://{inner}/secret\r\n"), ""),
        "/metadata" => answer(stream, "302 Found", "location: http://169.254.169.254/latest\r\n", ""),
        "/loop" => answer(stream, "302 Found", "location: /loop\r\n", ""),
        "/file" => answer(stream, "302 Found", "location: file:///etc/passwd\r\n", ""),
        "/endless" => {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n");
            while stream.write_all(&[b'x'; 65536]).is_ok() {}
        }
        "/slow" => {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nx");
            let _ = stream.read(&mut [0; 1]);
        }
        _ => answer(stream, "404 Not Found", "", ""),
    });
    // The name leads to the allowed address the first time and inside afterwards.
    let looked_up = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&looked_up);
    let settings = WebSettings {
        allowed: vec![outer],
        bytes_max: 100_000,
        timeout: Duration::from_secs(2),
        resolve: Some(Arc::new(move |_, _| match count.fetch_add(1, Ordering::Relaxed) {
            0 => vec![outer],
            _ => vec![inner],
        })),
        ..WebSettings::default()
    };
    let world = with(web::group(settings)).await;
    let page = world.gives("FetchWebPage", json!({"url": format!("http://{outer}/page")})).await;
    assert_eq!(page, "# Title\n\nHello **you** & [all](http://x.example/)");
    world.fails("FetchWebPage", json!({"url": format!("http://{inner}/")}), "no public address").await;
    for path in ["inside", "metadata"] {
        world.fails("FetchWebPage", json!({"url": format!("http://{outer}/{path}")}), "no public address").await;
    }
    world.fails("FetchWebPage", json!({"url": format!("http://{outer}/loop")}), "redirects").await;
    world.fails("FetchWebPage", json!({"url": format!("http://{outer}/file")}), "cannot be reached").await;
    world.fails("FetchWebPage", json!({"url": format!("http://{outer}/endless")}), "more than 100000 bytes").await;
    world.fails("FetchWebPage", json!({"url": format!("http://{outer}/slow")}), "too long").await;
    for url in [
        "http://localhost:1/",
        "http://[::1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "ftp://x/",
        "http://u:p@1.1.1.1/",
    ] {
        let result = world.call("FetchWebPage", json!({"url": url})).await;
        assert_eq!(result.status, ExecuteStatus::Error, "{url}");
    }
    looked_up.store(0, Ordering::Relaxed);
    let named = format!("http://changing.example:{}/page", outer.port());
    world.gives("FetchWebPage", json!({"url": named})).await;
    world.fails("FetchWebPage", json!({"url": named}), "no public address").await;
    assert!(inner_seen.lock().unwrap().is_empty(), "nothing inside was asked");
}

/// Without a limit on what each tag costs this would take hours.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_full_of_tags_is_read_once() {
    let page = "<script></script>".repeat(200_000) + "<svg></SVG><p>end</p><script>";
    let (address, _) = server(move |_, stream| answer(stream, "200 OK", "content-type: text/html\r\n", &page));
    let world = with(web::group(WebSettings { allowed: vec![address], ..WebSettings::default() })).await;
    assert_eq!(world.gives("FetchWebPage", json!({"url": format!("http://{address}/")})).await, "end");
}

/// What a call does is part of what is approved, not only its description.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_counts_for_one_effect() {
    let (api, _) = server(|_, stream| answer(stream, "200 OK", "content-type: application/json\r\n", "1"));
    let file = |method: &str, path: &str| {
        let file = format!(
            "name = \"api\"\nbase_url = \"http://{api}\"\nheaders = {{ X-A = \"b\" }}\n[[tools]]\nname = \"T\"\n\
             description = \"d\"\nmethod = \"{method}\"\npath = \"{path}\"\npermission = {{ executionPolicy = \"ask-once\" }}\n\
             [skill_rules.How]\ndesc = \"how\"\nprompt = \"like this\"\n"
        );
        http::read(&file, false, None).unwrap()
    };
    let mut world = with(file("GET", "/a")).await;
    let (rule, prompt) = world.executor.peek_variable("Rule/api/How").await.unwrap().unwrap();
    assert_eq!((rule.keep, prompt.as_str()), (true, "like this"), "a file declares rules");
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    world.executor.set_execution_approval_callback(Arc::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { ApprovalDecision { scope: Some(ApprovalScope::Always), ..ApprovalDecision::yes() } })
    }));
    for (method, path, times) in
        [("GET", "/a", 1), ("GET", "/a", 1), ("DELETE", "/a", 2), ("GET", "/b", 3), ("GET", "/a", 3)]
    {
        world.executor.register_tool_group(file(method, path)).await.unwrap();
        world.executor.toggle_group_enabled("api", Some(true)).await.unwrap();
        let result = world.executor.execute("T", json!({})).await.unwrap();
        assert_eq!(result.status, ExecuteStatus::Success, "{:?}", result.error);
        assert_eq!(asked.load(Ordering::Relaxed), times, "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn siyuan_is_a_group_over_its_kernel() {
    let (kernel, seen) = server(|request, stream| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        let body: Value =
            serde_json::from_str(request.split_once("\r\n\r\n").unwrap_or_default().1).unwrap_or_default();
        let (code, data) = match path {
            "/api/notebook/lsNotebooks" => (0, json!({"notebooks": [{"id": "n1", "name": "notes"}]})),
            "/api/block/getBlockKramdown" if body["id"] == "b1" => (0, json!({"id": "b1", "kramdown": "# text"})),
            "/api/query/sql" => (0, json!([{"id": "b1", "stmt": body["stmt"]}])),
            "/api/block/appendBlock" => (0, json!([body])),
            "/api/filetree/createDocWithMd" => (0, json!(body)),
            _ => (-1, Value::Null),
        };
        let text = json!({"code": code, "msg": if code == 0 { "" } else { "no such block" }, "data": data}).to_string();
        answer(stream, "200 OK", "content-type: application/json\r\n", &text);
    });
    let world = with(http::siyuan(&format!("http://{kernel}"), "s3cret").unwrap()).await;
    assert_eq!(world.gives("listNotebooks", json!({})).await, json!([{"id": "n1", "name": "notes"}]));
    assert_eq!(world.gives("getBlockContent", json!({"blockId": "b1"})).await, "# text");
    world.fails("getBlockContent", json!({"blockId": "nope"}), "no such block").await;
    let sql = world.gives("querySQL", json!({"sql": "SELECT \"x\" {$token}"})).await;
    assert_eq!(sql[0]["stmt"], "SELECT \"x\" {$token}");
    let appended = world.gives("appendContent", json!({"markdown": "- a\n- b", "target": "b1"})).await;
    assert_eq!(appended[0], json!({"dataType": "markdown", "data": "- a\n- b", "parentID": "b1"}));
    // An argument that is left out leaves its member out.
    assert_eq!(
        world.gives("createNewDoc", json!({"notebook": "n1", "path": "/x"})).await,
        json!({"notebook": "n1", "path": "/x"})
    );
    let requests = seen.lock().unwrap();
    assert!(requests.iter().all(|request| request.to_lowercase().contains("authorization: token s3cret")));
    assert!(requests.iter().all(|request| !request.split_once("\r\n\r\n").unwrap().1.contains("s3cret")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_over_http_is_described_by_a_file() {
    let (api, seen) = server(|request, stream| match request.split(' ').nth(1).unwrap_or_default() {
        "/gone" => answer(stream, "302 Found", "location: http://127.0.0.1:1/\r\n", ""),
        _ => answer(stream, "200 OK", "content-type: application/json\r\n", r#"{"forecast": {"max": 21}}"#),
    });
    let file = format!(
        "name = \"weather\"\nbase_url = \"http://{api}\"\n[[tools]]\nname = \"Forecast\"\npath = \"/v1/{{place}}\"\n\
         query = {{ days = \"{{days}}\", lang = \"en\" }}\nresponse = \"/forecast/max\"\n\
         [[tools]]\nname = \"Gone\"\npath = \"/gone\"\n"
    );
    let world = with(http::read(&file, false, None).unwrap()).await;
    assert_eq!(world.gives("Forecast", json!({"place": "a/../b?c", "days": 2})).await, 21);
    world.fails("Forecast", json!({"place": ".."}), "another place").await;
    world.fails("Forecast", json!({"place": "."}), "another place").await;
    world.fails("Forecast", json!({"days": 1}), "missing").await;
    world.fails("Gone", json!({}), "302").await;
    let requests = seen.lock().unwrap();
    assert!(requests[0].starts_with("GET /v1/a%2F..%2Fb%3Fc?days=2&lang=en "), "{}", requests[0]);
    for (wrong, words) in [
        ("name = \"x\"", "base_url"),
        ("name = \"x\"\nbase_url = \"file:///\"\n", "http://"),
        ("name = \"x\"\nbase_url = \"http://x\"\nsecret = 1\n", "unknown field"),
        ("name = \"x\"\nbase_url = \"http://x\"\n", "tools"),
        ("name = \"x\"\nbase_url = \"http://x\"\n[[tools]]\nname = \"T\"\nurl = \"/\"\n", "unknown field"),
        ("name =", ""),
    ] {
        let error = http::read(wrong, false, None).unwrap_err();
        assert!(error.contains(words), "{wrong}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn basic_tools_compute_and_draw() {
    let world = with(basic::group()).await;
    assert_eq!(world.gives("calculate", json!({"expression": "(1 + 2) * 7"})).await, 21);
    world.fails("calculate", json!({"expression": "system('ls')"}), "cannot be computed").await;
    let first = world.gives("random", json!({"seed": "s", "count": 5, "max": 1000})).await;
    assert_eq!(first, world.gives("random", json!({"seed": "s", "count": 5, "max": 1000})).await);
    assert!(first.as_array().unwrap().iter().all(|number| (1..=1000).contains(&number.as_i64().unwrap())));
    world.fails("random", json!({"min": 2, "max": 1}), "min").await;
    let now = world.gives("datetime", json!({"offset_minutes": 330})).await;
    assert!(now.as_str().unwrap().ends_with("+05:30"), "{now}");
    for offset in [i64::MIN, i64::MAX, -1_441, 1_441] {
        world.fails("datetime", json!({ "offset_minutes": offset }), "within a day").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_for_a_name_that_no_file_has_ends() {
    let folder = tempfile::tempdir().unwrap();
    let world = with(filesystem::group(&[folder.path().to_owned()]).unwrap()).await;
    let search = json!({"path": ".", "text": "x", "name": "no such name"});
    // Folders count too.
    let folders = 10;
    for number in 0..folders {
        std::fs::create_dir(folder.path().join(number.to_string())).unwrap();
    }
    for number in 0..TOOL_SEARCH_ENTRIES_MAX - folders {
        std::fs::write(folder.path().join(format!("{}/{number}", number % folders)), "").unwrap();
    }
    assert_eq!(world.gives("fs-Grep", search.clone()).await, json!({"matches": [], "complete": true}));
    std::fs::write(folder.path().join("one more"), "").unwrap();
    assert_eq!(world.gives("fs-Grep", search).await, json!({"matches": [], "complete": false}));
}

#[tokio::test(flavor = "multi_thread")]
async fn set_variable_is_staged_on_the_page_that_is_being_generated() {
    let world = with(state::group()).await;
    let account = Runtime::default_account();
    world.fails("set_variable", json!({"key": "mood", "value": "steady"}), "No page is being generated").await;
    let floor = NewFloor::of(world.session.clone());
    let floor = world.keep.create_floor(&account, floor).await.unwrap();
    let page = world.keep.create_page(&account, NewPage::of(floor.id.clone())).await.unwrap();
    world.keep.move_floor(&account, &floor.id, FloorStep::Generate { lease_ms: None, renew: false }).await.unwrap();
    let staged = world.gives("set_variable", json!({"key": "mood", "value": {"is": "steady"}})).await;
    assert_eq!(staged["page_id"], page.id.as_str());
    let ledger = world.keep.staged_writes(&account, &page.id).await.unwrap();
    let write = &ledger.items[0].asked;
    assert_eq!(write.reason.as_deref(), Some("builtin:set_variable"));
    let json = |text: &Option<tavernkeep_engine::json::JsonText>| -> Value {
        serde_json::from_str(text.as_ref().unwrap().as_str()).unwrap()
    };
    assert_eq!(json(&write.source), json!({"toolName": "set_variable", "providerId": "builtin"}));
    let evidence = json(&write.evidence);
    assert_eq!(evidence["generationAttemptNo"], 1);
    assert_eq!(evidence["runId"], floor.id.as_str(), "all calls of one generation are one run");
    assert_eq!(json(&write.value), json!({"is": "steady"}));
    world.fails("set_variable", json!({"key": "mood", "value": 1, "scope": "global"}), "scope must be").await;
    let state = world.gives("get_state", json!({})).await;
    assert_eq!(state, json!({}));
    assert_eq!(world.gives("query_history", json!({"path": "yuki.affinity"})).await, json!({"changes": []}));
}
