//! The one place that decides who encrypts requests to other servers: ring, which builds in seconds.

use reqwest::ClientBuilder;

/// A builder of clients that speak HTTP and HTTPS and follow no redirect by themselves.
pub fn client() -> ClientBuilder {
    use_ring();
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none())
}

/// Makes ring the process's cryptography, unless the program has chosen another before. A client of `reqwest` cannot be
/// built without one.
pub fn use_ring() {
    // An error says that there is one already, which is all that is wanted.
    _ = rustls::crypto::ring::default_provider().install_default();
}
