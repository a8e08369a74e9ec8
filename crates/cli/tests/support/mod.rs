//! What the tests stand on: real databases, the real program, and a client that writes down what it hears.

pub mod answer;
pub mod both;
pub mod client;
pub mod listening;
pub mod log;
pub mod place;
pub mod postgres;
pub mod server;
pub mod transcript;
pub mod tree;
pub mod undertaker;

pub use answer::Answer;
pub use both::{Backend, both};
pub use client::{Client, encode};
pub use listening::ReceivedEvent;
pub use place::Place;
pub use server::Server;
pub use tree::{branch, chat, floor, global, page, write};
