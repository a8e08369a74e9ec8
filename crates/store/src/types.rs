//! Plain data: the shapes that come out of the store and the orders that go in. No SQL, no wire format.

pub mod order;
pub mod record;
