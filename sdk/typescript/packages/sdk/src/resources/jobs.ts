// Jobs: work that takes longer than a request.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Query } from "../types.js";

/** Jobs: work that takes longer than a request. */
export class Jobs {
  constructor(private readonly http: Transport) {}

  /** List jobs. */
  list(query: Query<"list_jobs"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/jobs", { params: { query }, ...init(options) }));
  }

  /** Read a job. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/jobs/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Cancel a job. */
  cancel(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/jobs/{id}/cancel", { params: { path: { id } }, ...init(options) }));
  }

  /** What became of a write whose request was answered `write_pending`. */
  getWrite(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/writes/{id}", { params: { path: { id } }, ...init(options) }));
  }
}
