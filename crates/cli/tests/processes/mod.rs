//! What takes servers of its own: many clients, many processes, crashes, copies.

mod accounts;
mod backup;
mod concurrency;
mod damaged;
mod events;
mod fairness;
mod functions;
mod imports;
mod jobs;
mod looking;
mod migration;
mod parts;
mod pending;
mod restart;
mod retention;
mod scripts;
mod start;
mod terminal;
mod tools;
mod turns;
mod unread;
