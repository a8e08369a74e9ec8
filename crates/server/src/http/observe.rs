//! Request ids, log lines and metrics.

use crate::http::headers::X_REQUEST_ID;
use axum::http::{HeaderMap, HeaderValue, Method};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tavernkeep_engine::limits::ID_CHARS_MAX;
use tavernkeep_runtime::Runtime;
use tavernkeep_runtime::events::Hub;

/// The labels of the request counter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RequestLabels {
    pub method: &'static str,
    pub route: Route,
    pub status: u16,
}

/// The labels of the duration histogram.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DurationLabels {
    method: &'static str,
    route: Route,
}

/// A route's template, such as `/sessions/{id}`: bounded in number, unlike the paths of requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Route(pub Arc<str>);

impl prometheus_client::encoding::EncodeLabelValue for Route {
    fn encode(&self, encoder: &mut prometheus_client::encoding::LabelValueEncoder<'_>) -> fmt::Result {
        prometheus_client::encoding::EncodeLabelValue::encode(&&*self.0, encoder)
    }
}

/// The metrics of one server.
#[derive(Debug)]
pub(crate) struct Observe {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<DurationLabels, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    id_prefix: u64,
    id_next: AtomicU64,
}

impl Observe {
    pub(crate) fn new(runtime: Runtime, hub: Hub, listeners: CountListeners) -> Self {
        let mut registry = Registry::with_prefix("tavernkeep");
        let requests = Family::default();
        let durations = Family::<DurationLabels, Histogram, fn() -> Histogram>::new_with_constructor(buckets);
        let in_flight = Gauge::default();
        registry.register("http_requests", "Requests, by method, route and status", requests.clone());
        registry.register("http_request_seconds", "Time until the response begins", durations.clone());
        registry.register("http_in_flight", "Requests in progress", in_flight.clone());
        let build = [("version", env!("CARGO_PKG_VERSION")), ("database", runtime.backend())];
        registry.register(
            "build",
            "Version and database",
            Info::new(build.map(|(name, value)| (name, value.to_owned()))),
        );
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        registry.register_collector(Box::new(Process { started }));
        registry.register_collector(Box::new(StoreCollector(runtime)));
        registry.register_collector(Box::new(EventCollector { hub, listeners }));
        let random = RandomState::new().hash_one(std::process::id());
        Observe { registry, requests, durations, in_flight, id_prefix: random, id_next: AtomicU64::new(0) }
    }

    /// The client's id for the request if it is one, otherwise a fresh one.
    pub(crate) fn request_id(&self, headers: &HeaderMap) -> HeaderValue {
        match headers.get(X_REQUEST_ID) {
            Some(id) if is_id(id.as_bytes()) => id.clone(),
            _ => {
                let number = self.id_next.fetch_add(1, Ordering::Relaxed);
                let id = format!("{:016x}-{number:x}", self.id_prefix);
                HeaderValue::try_from(id).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
            }
        }
    }

    /// Counts a request as running until the guard is dropped.
    pub(crate) fn enter(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// The histogram of a route, fetched once when the router is built.
    pub(crate) fn histogram(&self, method: &'static str, route: &Route) -> Histogram {
        self.durations.get_or_create(&DurationLabels { method, route: route.clone() }).clone()
    }

    /// Counts a response.
    pub(crate) fn count(&self, labels: &RequestLabels) {
        self.requests.get_or_create(labels).inc();
    }

    /// Everything, as Prometheus reads it.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut out = String::with_capacity(16 * 1024);
        prometheus_client::encoding::text::encode(&mut out, &self.registry)?;
        Ok(out)
    }
}

/// A request in progress.
pub(crate) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The method as a label; anything unusual is one label, since labels must stay few.
pub(crate) fn method_label(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

fn is_id(bytes: &[u8]) -> bool {
    (1..=ID_CHARS_MAX).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._~:-".contains(byte))
}

fn buckets() -> Histogram {
    Histogram::new([0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0])
}

#[derive(Debug)]
struct Process {
    started: f64,
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let gauge = ConstGauge::new(self.started);
        let metric = encoder.encode_descriptor(
            "process_start_time_seconds",
            "When the server started, in seconds since 1970",
            None,
            gauge.metric_type(),
        )?;
        gauge.encode(metric)
    }
}

struct StoreCollector(Runtime);

impl fmt::Debug for StoreCollector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StoreCollector")
    }
}

impl Collector for StoreCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let counters = self.0.counters();
        let upkeep = self.0.upkeep();
        let scripts = self.0.script_counters();
        for (name, help, value) in [
            ("store_writes", "Write operations", counters.writes),
            ("store_commits", "Transactions that were committed; writes share them", counters.commits),
            ("store_batch_retries", "Batches that were rolled back and retried write by write", counters.batch_retries),
            ("store_reads", "Read operations", counters.reads),
            ("turns_computed", "Computed turns; neither reads nor repeated turns compute one", self.0.turns_computed()),
            (
                "large_changes_unprepared",
                "Large syncs and restores that were made in one transaction, because their sessions changed meanwhile",
                self.0.large_changes_unprepared(),
            ),
            (
                "script_workers_lost",
                "Script workers that were lost: killed for what a function did, or ended by themselves",
                scripts.workers_lost,
            ),
            ("purged_events", "Expired events that were purged", upkeep.events),
            ("purged_history", "Expired history rows that were purged", upkeep.history),
            ("purged_answers", "Expired stored responses that were purged", upkeep.answers),
            ("purged_versions", "Unreferenced versions that were purged", upkeep.versions),
            ("purged_jobs", "Ended jobs that were purged", upkeep.jobs),
        ] {
            let counter = ConstCounter::new(value);
            let metric = encoder.encode_descriptor(name, help, None, counter.metric_type())?;
            counter.encode(metric)?;
        }
        let seconds = upkeep.last_pass as f64 / 1000.0;
        for (name, help, value) in [
            (
                "last_purge_time_seconds",
                "When the last purge ended, in seconds since 1970; 0 if there was none",
                seconds,
            ),
            ("jobs_open", "Jobs that have not ended", upkeep.open_jobs as f64),
            ("script_workers", "Script workers that there are", scripts.workers as f64),
            ("script_turns_waiting", "Turns that wait for a script worker", scripts.turns_waiting as f64),
            ("trash_items", "Items in the trash at the last purge", upkeep.trash as f64),
        ] {
            let gauge = ConstGauge::new(value);
            let metric = encoder.encode_descriptor(name, help, None, gauge.metric_type())?;
            gauge.encode(metric)?;
        }
        Ok(())
    }
}

/// Returns how many clients listen to events.
pub(crate) type CountListeners = Box<dyn Fn() -> usize + Send + Sync>;

struct EventCollector {
    hub: Hub,
    listeners: CountListeners,
}

impl fmt::Debug for EventCollector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EventCollector")
    }
}

impl Collector for EventCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let listeners = ConstGauge::new(i64::try_from((self.listeners)()).unwrap_or(i64::MAX));
        let help = "Clients that listen to events";
        listeners.encode(encoder.encode_descriptor("listeners", help, None, listeners.metric_type())?)?;
        let counters = self.hub.counters();
        for (name, help, value) in [
            ("events_delivered", "Events handed to listeners", counters.delivered),
            ("event_pages", "Pages of events read, for all listeners or for one that is behind", counters.pages),
            ("listener_lags", "Times a listener fell behind what is kept in memory", counters.lags),
        ] {
            let counter = ConstCounter::new(value);
            counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_ids_are_echoed() {
        assert!(is_id(b"req-1:a.b_c~d"));
        for bad in [&b""[..], b"a b", b"a/b", "é".as_bytes(), &[b'a'; 129]] {
            assert!(!is_id(bad));
        }
    }
}
