//! The other side over HTTP: an axum handler that reads the request and answers fixed bytes.

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::any;

/// Serves the bytes of a file at every path, and says on stderr where it listens.
pub fn serve(file: &str) {
    let body = Bytes::from(std::fs::read(file).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let answer = move |_request: Bytes| {
            let body = body.clone();
            async move { ([(CONTENT_TYPE, "application/json")], body) }
        };
        let router = Router::new().route("/{*path}", any(answer.clone())).route("/", any(answer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        eprintln!("listening on http://{}", listener.local_addr().unwrap());
        axum::serve(listener, router).await.unwrap();
    });
}
