//! Stories that every client could tell; each runs on both databases.

mod accounts;
mod apply;
mod bad_input;
mod batch;
mod cleanup;
mod conditions;
mod floors;
mod lineage;
mod list;
mod locks;
mod pages;
mod resolve;
mod service;
mod sessions;
mod staging;
mod story;
mod tenancy;
mod upsert;
