//! Documents: written paths, where a value came from, one value restored.
#![allow(clippy::unwrap_used, missing_docs)]

mod paths_as_text {
    use tavernkeep_engine::path::{fix_mvu, is_index, lodash_segments};

    fn split(path: &str) -> Vec<String> {
        lodash_segments(path).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lodash_skips_what_fits_nowhere() {
        assert_eq!(split("a[b.c].d"), ["a", "b", "c", "d"]);
        assert_eq!(split("a..b"), ["a", "", "b"]);
        assert_eq!(split(".a"), ["", "a"]);
        assert_eq!(split("a."), ["a", ""]);
        assert_eq!(split("a[]"), ["a", ""]);
        assert_eq!(split("a[1.5][-1]['x\\'y']"), ["a", "1.5", "-1", "x'y"]);
        assert_eq!(split("a]b[c"), ["a]b[c"]);
    }

    #[test]
    fn mvu_moves_quotes() {
        assert_eq!(fix_mvu("a.\"b c\".d"), "a[\"b c\"].d");
        assert_eq!(fix_mvu("a['b']['0']"), "a[b][\"0\"]");
        assert_eq!(fix_mvu("it's.mine"), "it's.mine");
    }

    #[test]
    fn an_index_has_one_spelling() {
        assert_eq!(is_index("10"), Some(10));
        for bad in ["", "01", "-1", "1.0", "+1", "99999999999999999999"] {
            assert_eq!(is_index(bad), None, "{bad}");
        }
    }
}

mod written_paths {
    use tavernkeep_engine::document::Value;
    use tavernkeep_engine::limits::PATH_BYTES_MAX;
    use tavernkeep_engine::path::{InvalidPath, WrittenPath};

    #[test]
    fn a_path_has_a_longest() {
        assert!("a".repeat(PATH_BYTES_MAX).parse::<WrittenPath>().is_ok());
        assert_eq!("a".repeat(PATH_BYTES_MAX + 1).parse::<WrittenPath>(), Err(InvalidPath::TooLong));
        assert!(matches!("/a~2".parse::<WrittenPath>(), Err(InvalidPath::Pointer(_))));
    }

    #[test]
    fn a_key_with_dots_comes_first_and_nothing_is_the_whole() {
        let document = Value::parse(r#"{"a.b": 1, "a": {"b": 2}}"#).unwrap();
        let found = |text: &str| text.parse::<WrittenPath>().unwrap().find(&document).map(Value::to_json);
        assert_eq!(found("a.b").as_deref(), Some("1"));
        assert_eq!(found("/a/b").as_deref(), Some("2"));
        assert_eq!(found("/a.b").as_deref(), Some("1"));
        assert_eq!(found("").map(|whole| whole.len()), Some(document.to_json().len()));
        assert_eq!(found("a.c"), None);
    }
}

mod restored_values {
    use std::sync::Arc;
    use tavernkeep_engine::document::Value;
    use tavernkeep_engine::restore::restore;

    #[test]
    fn a_value_comes_back_where_it_was_or_not_at_all() {
        let restored = |now: &str, before: &str, path: &[&str]| {
            let path: Vec<Arc<str>> = path.iter().map(|name| Arc::from(*name)).collect();
            let now = Value::parse(now).unwrap();
            let restored = restore(&now, &Value::parse(before).unwrap(), &path)?;
            Some(restored.apply(&now).unwrap().to_json())
        };
        assert_eq!(restored(r#"{"a":{}}"#, r#"{"a":{"b":1}}"#, &["a", "b"]).as_deref(), Some(r#"{"a":{"b":1}}"#));
        assert_eq!(restored("{}", r#"{"a":{"b":1}}"#, &["a", "b"]), None);
        assert_eq!(restored(r#"{"a":5}"#, r#"{"a":{"b":1}}"#, &["a", "b"]), None);
        assert_eq!(restored(r#"{"l":[1]}"#, r#"{"l":[1,2]}"#, &["l", "1"]).as_deref(), Some(r#"{"l":[1,2]}"#));
        assert_eq!(restored(r#"{"l":[]}"#, r#"{"l":[1,2]}"#, &["l", "1"]), None);
        assert_eq!(restored(r#"{"l":[]}"#, r#"{"l":[1]}"#, &["l", "5"]).as_deref(), Some(r#"{"l":[]}"#));
        assert_eq!(restored(r#"{"a":1}"#, r#"{"a":1}"#, &["x"]).as_deref(), Some(r#"{"a":1}"#));
        assert_eq!(restored("[1]", r#"{"a":1}"#, &[]).as_deref(), Some(r#"{"a":1}"#));
    }

    #[test]
    fn an_item_is_the_one_that_stands_there_now() {
        let restored = |now: &str, before: &str, path: &[&str]| {
            let path: Vec<Arc<str>> = path.iter().map(|name| Arc::from(*name)).collect();
            let now = Value::parse(now).unwrap();
            let restored = restore(&now, &Value::parse(before).unwrap(), &path)?;
            Some(restored.apply(&now).unwrap().to_json())
        };
        let is = |now: &str, before: &str, index: &str, wanted: Option<&str>| {
            assert_eq!(restored(now, before, &[index]).as_deref(), wanted, "{before} → {now} at {index}");
        };
        // One that came goes, wherever it stands; one that only moved stays.
        is(r#"["x","a"]"#, r#"["a"]"#, "0", Some(r#"["a"]"#));
        is(r#"["x","a"]"#, r#"["a"]"#, "1", Some(r#"["x","a"]"#));
        is(r#"["a","x","y"]"#, r#"["a"]"#, "1", Some(r#"["a","y"]"#));
        // One that went does not come back in place of another.
        is(r#"["b"]"#, r#"["a","b"]"#, "0", Some(r#"["b"]"#));
        is(r#"["b"]"#, r#"["a","b"]"#, "1", None);
        is(r#"["b","c"]"#, r#"["a","b","c"]"#, "2", None);
        is(r#"["a"]"#, r#"["a","b"]"#, "1", Some(r#"["a","b"]"#));
        // One that became another, among those that stayed.
        is(r#"["a","x","c"]"#, r#"["a","b","c"]"#, "1", Some(r#"["a","b","c"]"#));
        is(r#"["x","y"]"#, r#"["a","b"]"#, "1", Some(r#"["x","b"]"#));
        is(r#"["b","a"]"#, r#"["a","b"]"#, "0", None);
        is(r#"["x","y"]"#, r#"["a","b","c"]"#, "1", None);
        // And what is inside of one.
        let (before, now) = (r#"[{"n":1},{"n":2}]"#, r#"[{"n":9},{"n":7},{"n":2}]"#);
        assert_eq!(restored(now, before, &["2", "n"]).as_deref(), Some(now));
        assert_eq!(restored(now, before, &["0", "n"]), None);
        let (before, now) = (r#"[{"n":1},2]"#, r#"[{"n":9,"m":1},2]"#);
        assert_eq!(restored(now, before, &["0", "n"]).as_deref(), Some(r#"[{"n":1,"m":1},2]"#));
    }
}

mod traced_values {
    use tavernkeep_engine::change::Change;
    use tavernkeep_engine::diff::diff;
    use tavernkeep_engine::document::Value;
    use tavernkeep_engine::op::Op;
    use tavernkeep_engine::path::{Path, WrittenPath};
    use tavernkeep_engine::trace::Trace;

    /// Goes back through documents, newest first; returns at which step the path was touched.
    fn traced(documents: &[&str], path: &str) -> Option<usize> {
        let documents: Vec<Value> = documents.iter().map(|text| Value::parse(text).unwrap()).collect();
        let last = documents.last().unwrap();
        let mut trace = Trace::of(last, path.parse::<WrittenPath>().unwrap().on(last));
        (1..documents.len()).rev().find(|&at| trace.back(&diff(&documents[at - 1], &documents[at])).is_some())
    }

    #[test]
    fn the_last_change_of_a_value_is_found() {
        let documents = [r#"{"a":{"b":1},"c":0}"#, r#"{"a":{"b":2},"c":0}"#, r#"{"a":{"b":2},"c":1}"#];
        assert_eq!(traced(&documents, "a.b"), Some(1));
        assert_eq!(traced(&documents, "a"), Some(1));
        assert_eq!(traced(&documents, "/c"), Some(2));
        assert_eq!(traced(&documents, ""), Some(2));
        assert_eq!(traced(&documents, "nothing"), None);
    }

    #[test]
    fn what_was_written_again_as_it_was_did_not_change() {
        let documents = [r#"{"a":1}"#, r#"{"a":{"b":1,"c":1}}"#, r#"{"a":[0]}"#, r#"{"a":{"b":5,"c":1}}"#];
        assert_eq!(traced(&documents, "a.b"), Some(3));
        let op = Op::Replace {
            path: Path::root().key("a"),
            value: Value::parse(r#"{"b":5,"c":1}"#).unwrap(),
            old: Value::parse(r#"{"b":4,"c":1}"#).unwrap(),
        };
        let document = Value::parse(r#"{"a":{"b":5,"c":1}}"#).unwrap();
        let back =
            |name: &str| Trace::of(&document, vec!["a".into(), name.into()]).back(&Change { ops: vec![op.clone()] });
        assert_eq!((back("b"), back("c"), back("d")), (Some(0), None, None));
    }

    #[test]
    fn items_are_followed_to_where_they_stood() {
        let documents =
            [r#"{"l":[]}"#, r#"{"l":["a"]}"#, r#"{"l":["b","a"]}"#, r#"{"l":["c","b","a"]}"#, r#"{"l":["c","a"]}"#];
        assert_eq!(traced(&documents, "l[1]"), Some(1));
        assert_eq!(traced(&documents, "l[0]"), Some(3));
        assert_eq!(traced(&documents, "l"), Some(4));
        assert_eq!(traced(&documents, "l[2]"), Some(4), "what is not there any more went with the last that left");
        assert_eq!(traced(&[r#"{"k":1}"#, "{}"], "k"), Some(1));
        assert_eq!(traced(&[r#"{"k":{"x":1}}"#, "{}"], "k.x"), Some(1));
    }
}
