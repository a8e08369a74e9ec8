//! Ids, keys, scopes, and names that were mistyped.
#![allow(clippy::unwrap_used, missing_docs)]

mod id {
    use tavernkeep_engine::id::{Id, InvalidId};
    use tavernkeep_engine::limits::ID_CHARS_MAX;

    #[test]
    fn an_id_is_short_and_plain() {
        assert_eq!("sess_001".parse::<Id>().unwrap().as_str(), "sess_001");
        assert!("a".repeat(ID_CHARS_MAX).parse::<Id>().is_ok());
        for bad in ["", ".", "..", "a b", "a/b", "é", "a%20", "a\0", &"a".repeat(ID_CHARS_MAX + 1)] {
            assert_eq!(bad.parse::<Id>(), Err(InvalidId), "{bad:?}");
        }
    }
}

mod key {
    use tavernkeep_engine::key::{InvalidKey, Key};

    #[test]
    fn a_key_has_at_least_one_byte_and_at_most_512() {
        assert_eq!("".parse::<Key>(), Err(InvalidKey::Empty));
        assert!("k".repeat(512).parse::<Key>().is_ok());
        assert_eq!("k".repeat(513).parse::<Key>(), Err(InvalidKey::TooLong));
        // Bytes count, not characters.
        assert_eq!("资".repeat(171).parse::<Key>(), Err(InvalidKey::TooLong));
        assert!("\0 .".parse::<Key>().is_ok());
    }
}

mod nearest_name {
    use tavernkeep_engine::nearest::nearest;

    #[test]
    fn a_name_is_near_within_three_letters() {
        let known = ["swipe_of", "floor_no", "page_id", "to"];
        let near = |name| nearest(name, known);
        assert_eq!(near("swipe_off"), Some("swipe_of"));
        assert_eq!(near("swipeOf"), Some("swipe_of"));
        assert_eq!(near("flor_n"), Some("floor_no"));
        assert_eq!(near("pgeid"), Some("page_id"));
        assert_eq!(near("colour_scheme"), None);
        assert_eq!(near("xy"), None);
        assert_eq!(near(&"swipe_of".repeat(9)), None);
        assert_eq!(nearest("a", []), None);
    }
}

mod scope {
    use tavernkeep_engine::scope::{decode_branch, encode_branch};

    #[test]
    fn a_branch_is_escaped_as_javascript_does() {
        let scope_id = encode_branch("S", "a:b/ c%");
        assert_eq!(scope_id, "branch:S:a%3Ab%2F%20c%25");
        assert_eq!(decode_branch(&scope_id), Some(("S".into(), "a:b/ c%".into())));
        assert_eq!(encode_branch("s", "支线-1"), "branch:s:%E6%94%AF%E7%BA%BF-1");
    }

    #[test]
    fn what_is_no_branch_is_refused() {
        for bad in
            ["garbage", "branch:", "branch:s", "branch::b", "branch:s:", "branch:s:b:c", "branch:s:%zz", "branch:s:%ff"]
        {
            assert_eq!(decode_branch(bad), None, "{bad}");
        }
    }
}
