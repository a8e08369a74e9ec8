//! The settings of the server. The command line fills it from file, environment and flags.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tavernkeep_engine::limits::LISTENERS_MAX;

/// The settings of a server. Every field may hold anything its type allows.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Whether requests need a key.
    pub auth: AuthMode,
    /// Hosts, besides loopback and the listen address, that the `Host` header may name: `name` or `name:port`.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages, such as `https://chat.example`, that may use the API; `*` for all.
    pub allowed_origins: Vec<String>,
    /// A path in front of every route, such as `/tavern`; empty for none.
    pub base_path: String,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// Bytes of cached responses; 0 for none.
    pub resolve_cache_bytes: usize,
    /// Called for each request that has been answered.
    pub request_log: Option<RequestLog>,
    /// How long a request may take until its response begins.
    pub request_timeout: Duration,
    /// How long a write that has begun is waited for beyond that, before it goes on in the background.
    pub write_wait: Duration,
    /// How long a client may leave what it asked for unread.
    pub write_timeout: Duration,
    /// Bytes of request bodies and responses that are held at the same time.
    pub bytes_in_flight_max: u64,
    /// How long a client may take to send the head of a request.
    pub header_timeout: Duration,
    /// How long running requests may take to finish when the server stops.
    pub shutdown_timeout: Duration,
    /// Connections at the same time; more wait in the kernel's queue.
    pub connections_max: usize,
    /// How often leases that have ended are looked for; zero: never.
    pub lease_interval: Duration,
    /// How often the server looks for jobs that stopped processes have left; zero: only when it starts.
    pub upkeep_interval: Duration,
    /// Listeners of one account at the same time.
    pub listeners_max: usize,
    /// How often a listener gets a heartbeat when nothing happens.
    pub heartbeat: Duration,
    /// How long a listener may read nothing before it is disconnected.
    pub listener_stall: Duration,
    /// How often expired rows are purged; zero: never.
    pub purge_interval: Duration,
}

/// Receives a summary of each request. It runs on the request's own thread, so it must be quick.
#[derive(Clone)]
pub struct RequestLog(pub Arc<dyn Fn(&RequestLine<'_>) + Send + Sync>);

impl fmt::Debug for RequestLog {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RequestLog")
    }
}

/// A summary of a request, without its query, which may hold secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLine<'a> {
    /// The id that the response has as `x-request-id`.
    pub request_id: &'a str,
    /// The method.
    pub method: &'a str,
    /// The path as it was sent.
    pub path: &'a str,
    /// The route's template, or `none`.
    pub route: &'a str,
    /// The response's status.
    pub status: u16,
    /// Time until the response began.
    pub duration: Duration,
    /// The address of the client, as the connection or a trusted proxy says.
    pub client: Option<IpAddr>,
}

/// Whether requests need a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthMode {
    /// On loopback, as long as there are no keys, every request is from the admin of the default account. Otherwise a key is needed.
    Auto,
    /// A key is always needed.
    Keys,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7117),
            auth: AuthMode::Auto,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            base_path: String::new(),
            trusted_proxies: Vec::new(),
            resolve_cache_bytes: 8 * 1024 * 1024,
            request_log: None,
            request_timeout: Duration::from_secs(60),
            write_wait: Duration::from_secs(10),
            write_timeout: Duration::from_secs(90),
            bytes_in_flight_max: 256 * 1024 * 1024,
            header_timeout: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(20),
            connections_max: 4096,
            lease_interval: Duration::from_secs(5),
            upkeep_interval: Duration::from_secs(5),
            listeners_max: LISTENERS_MAX,
            heartbeat: Duration::from_secs(15),
            listener_stall: Duration::from_secs(60),
            purge_interval: Duration::from_secs(300),
        }
    }
}

impl Settings {
    /// Whether only this machine can reach the server.
    pub fn loopback(&self) -> bool {
        self.listen.ip().to_canonical().is_loopback()
    }

    /// The base path with a slash in front and none behind; empty for none.
    pub fn base(&self) -> String {
        match self.base_path.trim_matches('/') {
            "" => String::new(),
            path => format!("/{path}"),
        }
    }
}

/// A network such as `10.0.0.0/8`, or a single address.
///
/// Invariant: the prefix fits the kind of address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// Whether the address lies in the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.prefix)).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.prefix)).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| InvalidNetwork)?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(bits), str::parse).map_err(|_| InvalidNetwork)?;
        if prefix > bits {
            return Err(InvalidNetwork);
        }
        Ok(Network { address, prefix })
    }
}

/// The text names no network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidNetwork;

impl fmt::Display for InvalidNetwork {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a network is an address or a range such as 10.0.0.0/8 or fd00::/8")
    }
}

impl std::error::Error for InvalidNetwork {}
