//! What takes servers of its own: many clients, many processes, crashes, copies.

mod accounts;
mod backup;
mod concurrency;
mod events;
mod jobs;
mod migration;
mod restart;
mod retention;
mod start;
mod terminal;
mod turns;
