//! Stories that every client could tell; each runs on both databases.

mod accounts;
mod apply;
mod bad_input;
mod batch;
mod characters;
mod cleanup;
mod conditions;
mod events;
mod floors;
mod greetings;
mod jobs;
mod lineage;
mod list;
mod locks;
mod once;
mod pages;
mod patch;
mod quotas;
mod resolve;
mod service;
mod sessions;
mod staging;
mod story;
mod sync;
mod tenancy;
mod upsert;
