// The memory of a session: summaries and their archive.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** The memory of a session: summaries and their archive. */
export class Memory {
  constructor(private readonly http: Transport) {}

  /** Read what a model is shown of a session's memory. */
  get(id: string, query: Query<"get_memory"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/memory", { params: { path: { id }, query }, ...init(options) }));
  }

  /** List the archive of a session. */
  listArchive(id: string, query: Query<"list_memory_archive"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions/{id}/memory/archive", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Add a summary. */
  summarize(id: string, body: Body<"summarize_memory">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/{id}/memory/summarize", { params: { path: { id } }, body, ...init(options) }));
  }
}
