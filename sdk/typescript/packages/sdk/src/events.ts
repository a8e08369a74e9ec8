// The event stream over fetch: resumed where it broke, reconnected with growing waits, started over after a purge.

import { errorOf, GoneError, ServerError } from "./errors.js";
import { parseJson } from "./json.js";
import type { components, operations } from "./schema.js";
import { backoff, pause, type Transport } from "./transport.js";

/** What a stream shows. */
export type EventQuery = Omit<NonNullable<operations["listen"]["parameters"]["query"]>, "types" | "last_event_id"> & {
  /** Only these types. */
  types?: string[];
};

export interface EventOptions {
  signal?: AbortSignal;
  /** Continues after this event. */
  lastEventId?: string;
  /** Waits before the first reconnection, in ms. 500 unless given. */
  retryDelayMs?: number;
  /** A connection that is silent for this time is given up; the server sends a heartbeat every 15 s. */
  silenceMs?: number;
  /** Called when the connection opens and when it breaks. */
  onConnection?: (open: boolean) => void;
}

/** One event. `ready` and `purged` speak of the stream itself: after both, read the state that you need again. */
export interface StreamEvent {
  /** The position; pass it as `lastEventId` to continue after it. */
  id: string;
  /** Such as `state.computed`; `ready` when a stream begins, `purged` when events were missed for good. */
  type: string;
  data: components["schemas"]["EventData"] | Record<string, never>;
}

/** The events of the account, or of one session or branch. Ends when the server ends it for good or the signal aborts. */
export async function* streamEvents(
  transport: Transport,
  query: EventQuery = {},
  options: EventOptions = {},
): AsyncGenerator<StreamEvent, void, void> {
  const { signal } = options;
  let position = options.lastEventId;
  let attempt = 0;
  while (!signal?.aborted) {
    const watch = new AbortController();
    const stop = () => watch.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      for await (const event of connection(transport, query, position, watch, options)) {
        attempt = 0;
        if (event.id !== "") position = event.id;
        if (event.type !== "") yield event;
        if (event.type === "session.deleted" && query.session_id !== undefined) return;
        if (event.type === "branch.deleted" && query.branch_id !== undefined) return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof GoneError) {
        position = undefined;
        yield { id: "", type: "purged", data: {} };
        continue;
      }
      // A refusal stays one; everything else may pass.
      const status = (error as { status?: number }).status;
      if (status !== undefined && status !== 429 && !(error instanceof ServerError)) throw error;
    } finally {
      signal?.removeEventListener("abort", stop);
      watch.abort();
      options.onConnection?.(false);
    }
    try {
      await pause(backoff(attempt, options.retryDelayMs ?? 500), signal);
    } catch {
      return;
    }
    attempt += 1;
  }
}

async function* connection(
  transport: Transport,
  query: EventQuery,
  position: string | undefined,
  watch: AbortController,
  options: EventOptions,
): AsyncGenerator<StreamEvent, void, void> {
  const search = new URLSearchParams();
  if (query.session_id !== undefined) search.set("session_id", query.session_id);
  if (query.branch_id !== undefined) search.set("branch_id", query.branch_id);
  if (query.types?.length) search.set("types", query.types.join(","));
  const headers: Record<string, string> = { ...transport.headers(), accept: "text/event-stream" };
  if (position !== undefined) headers["last-event-id"] = position;
  const silence = options.silenceMs ?? 45_000;
  let timer = setTimeout(() => watch.abort(), silence);
  try {
    const response = await transport.open(`/events?${search}`, { headers, signal: watch.signal, cache: "no-store" });
    if (!response.ok) throw errorOf(response.status, response.headers, await response.text());
    if (!response.body) return;
    options.onConnection?.(true);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const frames = new Frames();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => watch.abort(), silence);
      yield* frames.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Takes Server-Sent Events apart. An event without a type only moves the position. */
export class Frames {
  private rest = "";
  private id = "";
  private type = "";
  private lines: string[] = [];

  *push(text: string): Generator<StreamEvent> {
    this.rest += text;
    for (let end = this.rest.indexOf("\n"); end >= 0; end = this.rest.indexOf("\n")) {
      const line = this.rest.slice(0, end).replace(/\r$/, "");
      this.rest = this.rest.slice(end + 1);
      if (line !== "") this.field(line);
      else {
        const event = this.finish();
        if (event) yield event;
      }
    }
  }

  private field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") this.id = value;
    else if (name === "event") this.type = value;
    else if (name === "data") this.lines.push(value);
  }

  private finish(): StreamEvent | undefined {
    const { id, type, lines } = this;
    this.id = "";
    this.type = "";
    this.lines = [];
    if (lines.length === 0) return id === "" ? undefined : { id, type: "", data: {} };
    return { id, type: type || "message", data: parseJson(lines.join("\n")) as unknown as StreamEvent["data"] };
  }
}
