//! The registration of routes, and the API document that comes from it.

pub(crate) mod console;
pub(crate) mod openapi;
pub(crate) mod page;
pub(crate) mod registry;
