// Sends requests: key, retries with idempotency keys, JSON without rounding, errors as classes.

import createClient, { type Client } from "openapi-fetch";
import { ConnectionError, errorOf, type ResponseInfo } from "./errors.js";
import { parseJson, stringifyJson } from "./json.js";
import type { paths } from "./schema.js";

/** How to reach the server. */
export interface ClientOptions {
  /** Such as `http://127.0.0.1:7117`, with the base path if the server has one. A browser may leave it out. */
  baseUrl?: string;
  /** The secret of a key. A browser that is signed in needs none. */
  key?: string;
  /** How often a request is sent again after a broken connection or a server that is busy. 3 unless given; 0 for never. */
  retries?: number;
  /** Waits before the first repetition, in ms; each further one waits twice as long. 200 unless given. */
  retryDelayMs?: number;
  /** Gives up on an attempt after this time, in ms. 60,000 unless given. */
  timeoutMs?: number;
  fetch?: typeof globalThis.fetch;
}

/** What one call may add. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The `ETag` that the subject must have (`responseInfo(data).etag`). */
  ifMatch?: string;
  /** `*`: only if it does not exist yet. */
  ifNoneMatch?: string;
  /** A key of your own for a write; every write has one. */
  idempotencyKey?: string;
}

const RETRIED = new Set([502, 503, 504]);
const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

const infos = new WeakMap<object, ResponseInfo>();

/** Status, `ETag` and trash item of the answer from which `data` came. */
export function responseInfo(data: object): ResponseInfo | undefined {
  return infos.get(data);
}

/** A request id or idempotency key. `crypto.randomUUID` is missing on pages that are not served over TLS. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Transport {
  readonly api: Client<paths>;
  readonly baseUrl: string;
  private readonly options: Required<Omit<ClientOptions, "key" | "baseUrl">> & { key: string | undefined };

  constructor(options: ClientOptions) {
    this.baseUrl = (options.baseUrl ?? "").replace(/\/+$/, "");
    this.options = {
      key: options.key,
      retries: options.retries ?? 3,
      retryDelayMs: options.retryDelayMs ?? 200,
      timeoutMs: options.timeoutMs ?? 60_000,
      // A bare `fetch` loses its `this` in browsers.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    };
    this.api = createClient<paths>({
      baseUrl: this.baseUrl,
      fetch: (request: Request) => this.send(request),
      bodySerializer: (body) => stringifyJson(body),
      querySerializer: { array: { style: "form", explode: true } },
    });
  }

  /** The headers of every request. */
  headers(): Record<string, string> {
    return this.options.key === undefined ? {} : { authorization: `Bearer ${this.options.key}` };
  }

  /** One attempt without a time limit, for streams. */
  open(path: string, init: RequestInit): Promise<Response> {
    return this.options.fetch(this.baseUrl + path, init);
  }

  /** The `data` of an answer. */
  async data<T>(call: Promise<{ data?: { data: T }; response: Response }>): Promise<T> {
    const { data, response } = await call;
    const content = (data as { data: T }).data;
    if (typeof content === "object" && content !== null) infos.set(content, infoOf(response));
    return content;
  }

  /** A whole answer: `data` and `meta` of a list. */
  async whole<T>(call: Promise<{ data?: T; response: Response }>): Promise<T> {
    return (await call).data as T;
  }

  /** A file. */
  async blob(call: Promise<{ data?: unknown; response: Response }>): Promise<Blob> {
    return (await call).data as Blob;
  }

  private async send(request: Request): Promise<Response> {
    for (const [name, value] of Object.entries(this.headers())) request.headers.set(name, value);
    const writes = WRITES.has(request.method);
    if (writes && !request.headers.has("idempotency-key")) request.headers.set("idempotency-key", randomKey());
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt >= this.options.retries;
      try {
        return await this.attempt(last ? request : request.clone());
      } catch (error) {
        if (request.signal.aborted) throw error;
        const retryable = error instanceof ConnectionError || RETRIED.has((error as { status?: number }).status ?? 0);
        if (last || !retryable) throw error;
        const asked = (error as { retryAfterMs?: number | null }).retryAfterMs ?? 0;
        await pause(Math.max(asked, backoff(attempt, this.options.retryDelayMs)), request.signal);
      }
    }
  }

  private async attempt(request: Request): Promise<Response> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    const signal = AbortSignal.any([request.signal, timeout]);
    let response: Response;
    let text: string;
    let file: Blob | undefined;
    try {
      response = await this.options.fetch(request, { signal });
      // A file may be a picture, which is no text.
      file = response.ok && response.headers.has("content-disposition") ? await response.blob() : undefined;
      text = file ? "" : await response.text();
    } catch (error) {
      if (request.signal.aborted) throw error;
      const reason = timeout.aborted ? `no answer within ${this.options.timeoutMs} ms` : "the server cannot be reached";
      throw new ConnectionError(`${request.method} ${request.url}: ${reason}`, { cause: error });
    }
    if (!response.ok && response.status !== 304) throw errorOf(response.status, response.headers, text);
    return file ? fileResponse(response, file) : readResponse(response, text);
  }
}

/** A response whose body is read already; openapi-fetch asks it for `json()`, which must not round. */
function readResponse(response: Response, text: string): Response {
  const headers = new Headers(response.headers);
  headers.set("content-length", String(text.length));
  const json = async () => (text === "" ? undefined : parseJson(text));
  return { ok: true, status: response.status, headers, json, text: async () => text } as unknown as Response;
}

/** The same for a file. */
function fileResponse(response: Response, file: Blob): Response {
  const headers = new Headers(response.headers);
  headers.set("content-length", String(file.size || 1));
  return { ok: true, status: response.status, headers, blob: async () => file, text: () => file.text() } as unknown as Response;
}

function infoOf(response: Response): ResponseInfo {
  const { status, headers } = response;
  return {
    status,
    etag: headers.get("etag"),
    trashId: headers.get("trash-id"),
    requestId: headers.get("x-request-id"),
    replayed: headers.get("idempotency-replayed") === "true",
  };
}

/** The wait before repetition `attempt`, between half and the whole of a doubling time, at most 30 s. */
export function backoff(attempt: number, firstMs: number): number {
  const whole = Math.min(30_000, firstMs * 2 ** attempt);
  return whole / 2 + (Math.random() * whole) / 2;
}

/** Waits, unless the signal ends it earlier. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

/** Call options as openapi-fetch takes them. */
export function init(options: CallOptions | undefined): { signal?: AbortSignal; headers?: Record<string, string> } {
  if (!options) return {};
  const headers: Record<string, string> = {};
  if (options.ifMatch !== undefined) headers["if-match"] = options.ifMatch;
  if (options.ifNoneMatch !== undefined) headers["if-none-match"] = options.ifNoneMatch;
  if (options.idempotencyKey !== undefined) headers["idempotency-key"] = options.idempotencyKey;
  return options.signal ? { signal: options.signal, headers } : { headers };
}
