// The client: one object per resource of the API.

import { type EventOptions, type EventQuery, type StreamEvent, streamEvents } from "./events.js";
import { Account } from "./resources/account.js";
import { Branches } from "./resources/branches.js";
import { Characters } from "./resources/characters.js";
import { Floors } from "./resources/floors.js";
import { Functions } from "./resources/functions.js";
import { Memory } from "./resources/memory.js";
import { Prompts } from "./resources/prompts.js";
import { Scratchpad } from "./resources/scratchpad.js";
import { Tools } from "./resources/tools.js";
import { GlobalSnapshots } from "./resources/global-snapshots.js";
import { Imports } from "./resources/imports.js";
import { Jobs } from "./resources/jobs.js";
import { Keys } from "./resources/keys.js";
import { Pages } from "./resources/pages.js";
import { Sessions } from "./resources/sessions.js";
import { Snapshots } from "./resources/snapshots.js";
import { Trash } from "./resources/trash.js";
import { Variables } from "./resources/variables.js";
import { type CallOptions, type ClientOptions, init, pause, Transport } from "./transport.js";
import type { Body, Job, ListMeta, Query } from "./types.js";

/** A client of one server. */
export class TavernkeepClient {
  readonly account: Account;
  readonly branches: Branches;
  readonly characters: Characters;
  readonly floors: Floors;
  readonly functions: Functions;
  readonly memory: Memory;
  readonly prompts: Prompts;
  readonly scratchpad: Scratchpad;
  readonly tools: Tools;
  readonly globalSnapshots: GlobalSnapshots;
  readonly imports: Imports;
  readonly jobs: Jobs;
  readonly keys: Keys;
  readonly pages: Pages;
  readonly sessions: Sessions;
  readonly snapshots: Snapshots;
  readonly trash: Trash;
  readonly variables: Variables;
  private readonly http: Transport;

  constructor(options: ClientOptions = {}) {
    const http = new Transport(options);
    this.http = http;
    this.account = new Account(http);
    this.branches = new Branches(http);
    this.characters = new Characters(http);
    this.floors = new Floors(http);
    this.functions = new Functions(http);
    this.memory = new Memory(http);
    this.prompts = new Prompts(http);
    this.scratchpad = new Scratchpad(http);
    this.tools = new Tools(http);
    this.globalSnapshots = new GlobalSnapshots(http);
    this.imports = new Imports(http);
    this.jobs = new Jobs(http);
    this.keys = new Keys(http);
    this.pages = new Pages(http);
    this.sessions = new Sessions(http);
    this.snapshots = new Snapshots(http);
    this.trash = new Trash(http);
    this.variables = new Variables(http);
  }

  /** Tries a reply out without storing anything. */
  apply(body: Body<"apply_reply">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/apply", { body, ...init(options) }));
  }

  /** The named profiles: what each is for, its dialects, its rule packs and all its fields. */
  profiles(options?: CallOptions) {
    return this.http.data(this.http.api.GET("/profiles", init(options)));
  }

  /** How two states differ. A side is `page:ID`, `floor:ID`, `snapshot:ID`, `branch:SESSION/NAME` or `session:ID`. */
  compare(query: Query<"compare_states">, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/compare", { params: { query }, ...init(options) }));
  }

  /** Whether the server works, its version and database. */
  health(options?: CallOptions) {
    return this.http.data(this.http.api.GET("/health", init(options)));
  }

  /** The events of the account, or of one session or branch, for `for await`. */
  events(query: EventQuery = {}, options: EventOptions = {}): AsyncGenerator<StreamEvent, void, void> {
    return streamEvents(this.http, query, options);
  }

  /** Waits until a job has ended. */
  async waitForJob(id: string, options: { signal?: AbortSignal; onProgress?: (job: Job) => void; everyMs?: number } = {}): Promise<Job> {
    const { signal, onProgress, everyMs = 250 } = options;
    for (;;) {
      const job = await this.jobs.get(id, signal ? { signal } : undefined);
      onProgress?.(job);
      if (job.state !== "waiting" && job.state !== "running") return job;
      await pause(everyMs, signal);
    }
  }
}

/** Walks through all rows of a list: `for await (const session of paginate((window) => client.sessions.list(window)))`. */
export async function* paginate<T>(
  list: (window: { limit: number; offset: number }) => Promise<{ data: T[]; meta: ListMeta }>,
  limit = 100,
): AsyncGenerator<T, void, void> {
  for (let offset = 0; ; offset += limit) {
    const { data, meta } = await list({ limit, offset });
    yield* data;
    if (!meta.has_more) return;
  }
}
