//! The dialects by name: a profile says which ones are read, `command/dialect` reads them.

crate::stored_enum! {
    /// A way in which commands are written in replies.
    Dialect {
        /// `@.SET("角色.金币", 100);`
        At = "at",
        /// `_.set('角色.金币', 90, 100);//交易`
        Mvu = "mvu",
        /// `<JSONPatch>[{"op":"replace","path":"/角色/金币","value":100}]</JSONPatch>`
        JsonPatch = "json_patch",
        /// `set_status('时间', '20:00');`
        Memory = "memory",
    }
}
