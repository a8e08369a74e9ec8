//! The databases: two drivers behind one store handle, transactions, migrations, backups, and how values are stored.

pub mod backup;
pub(crate) mod body_columns;
pub(crate) mod codec;
#[cfg(test)]
pub(crate) mod counting;
pub mod freeing;
pub mod hash;
pub mod long_work;
pub mod metering;
pub(crate) mod migrate;
pub mod own_connection;
#[cfg(test)]
pub(crate) mod plans;
mod postgres;
pub(crate) mod prelude;
mod queues;
pub(crate) mod reservations;
pub(crate) mod session_tables;
pub mod sql;
pub(crate) mod sqlite;
pub(crate) mod store;
pub(crate) mod stored;
pub mod tx;
pub(crate) mod wakeups;
pub mod watch;
pub(crate) mod work;
