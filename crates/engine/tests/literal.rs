//! Values as they are written in commands: dates and YAML.
#![allow(clippy::unwrap_used, missing_docs)]

mod time {
    use tavernkeep_engine::time::{format_iso, parse_time};

    #[test]
    fn dates_read_and_write() {
        assert_eq!(parse_time("1970-01-01"), Some(0));
        assert_eq!(
            parse_time("2024-02-29T00:00:00+08:00").map(format_iso).as_deref(),
            Some("2024-02-28T16:00:00.000Z")
        );
        assert_eq!(parse_time("2024年10月26日 20:00"), parse_time("2024-10-26T20:00:00.000Z"));
        assert_eq!(format_iso(-1), "1969-12-31T23:59:59.999Z");
        for bad in ["", "2024-13-01", "2023-02-29", "20:00", "2024-10-26x", "5"] {
            assert_eq!(parse_time(bad), None, "{bad}");
        }
    }
}

mod yaml {
    use tavernkeep_engine::literal::read_yaml;

    fn json(text: &str) -> String {
        read_yaml(text).map_or_else(|_| "-".to_owned(), |value| value.to_json())
    }

    #[test]
    fn blocks_nest_by_indent() {
        assert_eq!(json("a:\n- 1\n- b: 2\n  c: 3\nd:\n  e: f"), r#"{"a":[1,{"b":2,"c":3}],"d":{"e":"f"}}"#);
        assert_eq!(json("- - 1\n  - 2\n- 3"), "[[1,2],3]");
        assert_eq!(json("a: |\n  x\n   y\n\nb: >-\n  x\n  y"), r#"{"a":"x\n y\n","b":"x y"}"#);
        assert_eq!(json("a: x\n  y\nb: 'p\n  q'"), r#"{"a":"x y","b":"p q"}"#);
        assert_eq!(json("a: 'p \n\n  q\n\n\n  r\n  s '"), r#"{"a":"p\nq\n\nr s "}"#);
        assert_eq!(json("a: {b: [1,\n  2], c}\n"), r#"{"a":{"b":[1,2],"c":null}}"#);
        assert_eq!(json("base: &b {x: 1}\nc:\n  <<: *b\n  y: 2"), r#"{"base":{"x":1},"c":{"x":1,"y":2}}"#);
    }

    #[test]
    fn what_is_no_yaml_says_so() {
        for text in ["a: b: c", "'x", "{a: 1", "*a", "> text", "a: 1\n b: 2", "- a\n\tb: 1\n"] {
            assert_eq!(json(text), "-", "{text}");
        }
    }
}
