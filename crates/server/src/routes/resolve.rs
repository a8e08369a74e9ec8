//! What is visible from one place of a conversation.
//!
//! The order of reads keeps answers true: first the stamp, then the cache, then the data.

use super::prelude::*;
use crate::http::budget::Growing;
use crate::http::condition::none_match;
use crate::output::cache::{self, CachedResponse};
use crate::output::render;
use crate::output::reply::tagged;
use axum::Extension;
use axum::body::Body;
use axum::extract::RawQuery;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use tavernkeep_api::resolve as api;
use tavernkeep_api::variable::KeyFilter as KeyParams;
use tavernkeep_engine::scope::{GLOBAL_SCOPE_ID, Scope};
use tavernkeep_runtime::RuntimeError;
use tavernkeep_runtime::record::{Context, Host, ResolveQuery, Resolved, SessionStamp, Variable, Winner};

/// Resolve variables
///
/// The winner of each key as seen from a session, branch, floor or page: page › floor › branch › chat › global. A page
/// brings its floor and branch along, a floor its branch.
///
/// Where the story has begun, its state is among them as the computed variable `vs_stat_data`, or under the name that the
/// session gives it; it comes from its page and cannot be written as a variable.
///
/// A branch that was forked sees what the branches before it had when the fork's floor was committed, marked with
/// `inherited_from_floor_id`. With `lineage=true` a floor also sees the nearest value of the floors before it;
/// `source_scope_id` then names the floor that has it.
#[utoipa::path(get, path = "/variables/resolve", tag = "variables", operation_id = "resolve_variables",
    params(api::ResolveParams, KeyParams,
        ("If-None-Match" = Option<String>, Header, description = "The `ETag` of an earlier answer; `304` if it still holds.")),
    responses(
        (status = 200, description = "What is visible.", body = Data<api::Resolved>,
            headers(("ETag" = String, description = "Changes whenever the answer may have changed."))),
        (status = 304, description = "Nothing has changed.",
            headers(("ETag" = String, description = "The tag that still holds.")))))]
pub async fn resolve(
    State(app): State<App>,
    caller: Authenticated,
    headers: HeaderMap,
    Extension(held): Extension<Growing>,
    RawQuery(raw): RawQuery,
) -> ApiResult {
    let key = cache::cache_key("resolve", caller.account(), raw.as_deref());
    let (stamp, body) = match app.cache.valid(&app.runtime, caller.account(), &key).await {
        Some(kept) => (kept.stamp, Some(kept.body)),
        None => {
            let (asked, layers) = read(Query::parse(raw.as_deref().unwrap_or_default())?)?;
            let session = asked.session.clone();
            let stamp = app.runtime.stamp(caller.account(), &session).await?;
            if none_match(&headers, &etag(stamp, &key)) {
                (stamp, None)
            } else {
                let resolved = app.runtime.resolve(caller.account(), asked).await?;
                if held.bytes() > STREAMED_BYTES_MIN {
                    let pieces = Pieces::new(caller.account(), resolved, layers, held)?;
                    let tag = etag(stamp, &key);
                    return Ok(revalidated(tagged(
                        StatusCode::OK,
                        Body::from_stream(stream::iter(pieces)),
                        header(&tag),
                    )));
                }
                let body = Bytes::from(render_resolved(caller.account(), resolved, layers));
                app.cache.put(key.clone(), CachedResponse { session: Some(session), stamp, body: body.clone() });
                (stamp, Some(body))
            }
        }
    };
    let tag = etag(stamp, &key);
    match body {
        Some(body) if !none_match(&headers, &tag) => Ok(revalidated(tagged(StatusCode::OK, body, header(&tag)))),
        _ => Ok(unchanged(&tag)),
    }
}

fn read(mut query: Query) -> Result<(ResolveQuery, bool), ApiError> {
    let session = query.need_id("session_id");
    let branch = query.text("branch_id", 1, usize::MAX);
    let floor = query.id("floor_id");
    let page = query.id("page_id");
    let layers = query.boolean("include_layers").unwrap_or(false);
    let lineage = query.boolean("lineage").unwrap_or(false);
    let keys = query.keys(false);
    let Some(session) = session else { return Err(query.problems.refuse()) };
    query.finish()?;
    Ok((ResolveQuery { session, branch, floor, page, keys, lineage }, layers))
}

/// The stamp and a hash of the request (FNV-1a: it only distinguishes requests, so collisions are harmless).
fn etag(stamp: SessionStamp, key: &str) -> String {
    let hash = key
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("\"{:x}.{:x}.{:x}.{hash:x}\"", stamp.session_row, stamp.session_seq, stamp.account_seq)
}

fn header(tag: &str) -> HeaderValue {
    HeaderValue::from_str(tag).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

fn unchanged(tag: &str) -> Response {
    let mut response = tagged(StatusCode::NOT_MODIFIED, Body::empty(), header(tag));
    response.headers_mut().remove(CONTENT_TYPE);
    revalidated(response)
}

/// A client may cache the response and must revalidate it.
fn revalidated(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}

/// Values from which on a response is rendered while it is sent. It is not cached then.
const STREAMED_BYTES_MIN: u64 = 4 * 1024 * 1024;
/// Bytes that are rendered at once.
const PIECE_BYTES: usize = 64 * 1024;

/// A large response, rendered as the client reads it. Each winner is dropped when it is rendered.
struct Pieces {
    head: Vec<u8>,
    winners: std::iter::Enumerate<std::vec::IntoIter<Winner>>,
    tail: Option<Vec<u8>>,
    _held: Growing,
}

impl Pieces {
    fn new(account: &Id, resolved: Resolved, layers: bool, held: Growing) -> Result<Pieces, ApiError> {
        let mut head = b"{\"data\":{\"context\":".to_vec();
        render_context(&mut head, account, &resolved.context);
        head.extend_from_slice(b",\"resolved\":[");
        let mut tail = b"]".to_vec();
        if layers {
            // Layers have every row once more.
            if !held.add(usize::try_from(held.bytes()).unwrap_or(usize::MAX)) {
                return Err(RuntimeError::NoRoom.into());
            }
            tail.extend_from_slice(b",\"layers\":");
            tail.append(&mut render_layers(&resolved));
        }
        tail.extend_from_slice(b"}}");
        Ok(Pieces { head, winners: resolved.into_winners().into_iter().enumerate(), tail: Some(tail), _held: held })
    }
}

impl Iterator for Pieces {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut out = std::mem::take(&mut self.head);
        out.reserve(PIECE_BYTES.saturating_sub(out.len()));
        for (index, winner) in self.winners.by_ref() {
            render::comma(&mut out, index);
            render::winner(&mut out, &winner);
            if out.len() >= PIECE_BYTES {
                return Some(Ok(out.into()));
            }
        }
        out.append(&mut self.tail.take()?);
        Some(Ok(out.into()))
    }
}

fn render_resolved(account: &Id, resolved: Resolved, layers: bool) -> Vec<u8> {
    let bytes: usize = resolved.rows.iter().map(|row| 200 + row.value.as_str().len()).sum();
    let mut out = Vec::with_capacity(256 + bytes * if layers { 2 } else { 1 });
    out.extend_from_slice(b"{\"data\":{\"context\":");
    render_context(&mut out, account, &resolved.context);
    let layer_text = layers.then(|| render_layers(&resolved));
    out.extend_from_slice(b",\"resolved\":[");
    for (index, winner) in resolved.into_winners().iter().enumerate() {
        render::comma(&mut out, index);
        render::winner(&mut out, winner);
    }
    out.push(b']');
    if let Some(text) = layer_text {
        out.extend_from_slice(b",\"layers\":");
        out.extend_from_slice(&text);
    }
    out.extend_from_slice(b"}}");
    out
}

fn render_context(out: &mut Vec<u8>, account: &Id, context: &Context) {
    let fields = [
        ("{\"account_id\":", Some(account.as_str())),
        (",\"session_id\":", Some(context.session.as_str())),
        (",\"branch_id\":", context.branch.as_deref()),
        (",\"floor_id\":", context.floor.as_ref().map(Id::as_str)),
        (",\"page_id\":", context.page.as_ref().map(Id::as_str)),
        (",\"global_scope_id\":", Some(GLOBAL_SCOPE_ID)),
    ];
    for (label, value) in fields {
        if let Some(value) = value {
            out.extend_from_slice(label.as_bytes());
            render::text(out, value);
        }
    }
    out.push(b'}');
}

/// Only layers whose host is known are shown, those without rows too.
fn render_layers(resolved: &Resolved) -> Vec<u8> {
    let mut out = vec![b'{'];
    let hosts = Scope::ALL.iter().copied().filter_map(|scope| layer_host(&resolved.context, scope));
    for (index, host) in hosts.enumerate() {
        render::comma(&mut out, index);
        render::text(&mut out, host.scope().as_str());
        out.push(b':');
        render::scope_fields(&mut out, &host, "{\"scope\":", ",\"scope_id\":", ",\"scope_ref\":");
        out.extend_from_slice(b",\"items\":");
        let of_layer = |row: &&Variable| row.host.scope() == host.scope();
        render::variables(&mut out, resolved.rows.iter().filter(of_layer));
        out.push(b'}');
    }
    out.push(b'}');
    out
}

fn layer_host(context: &Context, scope: Scope) -> Option<Host> {
    match scope {
        Scope::Global => Some(Host::Global),
        Scope::Chat => Some(Host::Chat(context.session.clone())),
        Scope::Branch => context.branch.clone().map(|branch| Host::Branch(context.session.clone(), branch)),
        Scope::Floor => context.floor.clone().map(Host::Floor),
        Scope::Page => context.page.clone().map(Host::Page),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tavernkeep_engine::json::JsonText;
    use tavernkeep_runtime::record::Computed;

    fn row(host: Host, key: &str, value: &str) -> Variable {
        Variable {
            id: format!("v-{key}").parse().unwrap(),
            host,
            key: key.parse().unwrap(),
            value: JsonText::parse(value.as_bytes()).unwrap(),
            updated_at: 7,
            revision: 1,
        }
    }

    #[test]
    fn the_answer_has_the_shape_of_the_document() {
        let session: Id = "S".parse().unwrap();
        let branch = Host::Branch(session.clone(), "a/b".into());
        let resolved = Resolved {
            context: Context { session: session.clone(), branch: Some("a/b".into()), floor: None, page: None },
            rows: vec![
                row(Host::Global, "theme", "\"night\""),
                row(Host::Chat(session.clone()), "mood", "\"calm\""),
                row(branch, "mood", "null"),
            ],
            before: Vec::new(),
            computed: Some(Computed {
                variable: row(Host::Page("p".parse().unwrap()), "vs_stat_data", "{}"),
                fresh: false,
            }),
        };
        let text = String::from_utf8(render_resolved(&"default-admin".parse().unwrap(), resolved, true)).unwrap();
        let shape: Data<api::Resolved> = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&shape).unwrap(), text);
        let keys: Vec<_> = shape.data.resolved.iter().map(|row| (row.key.as_str(), row.value.text())).collect();
        assert_eq!(keys, [("mood", "null"), ("theme", "\"night\""), ("vs_stat_data", "{}")]);
        assert!(shape.data.resolved[2].computed && !shape.data.resolved[1].computed);
        assert_eq!((shape.data.resolved[2].fresh, shape.data.resolved[1].fresh), (Some(false), None));
        let layers = shape.data.layers.unwrap();
        assert_eq!(layers.chat.unwrap().items.len(), 1);
        assert!(layers.branch.is_some() && layers.floor.is_none() && layers.page.is_none());
    }
}
