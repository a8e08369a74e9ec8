// Global snapshots: states that belong to no page.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Global snapshots: states that belong to no page. */
export class GlobalSnapshots {
  constructor(private readonly http: Transport) {}

  /** List global snapshots. */
  list(query: Query<"list_global_snapshots"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/global-snapshots", { params: { query }, ...init(options) }));
  }

  /** Make a global snapshot. */
  create(body: Body<"create_global_snapshot">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/global-snapshots", { body, ...init(options) }));
  }

  /** Read a global snapshot. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/global-snapshots/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Change a global snapshot. */
  update(id: string, body: Body<"update_global_snapshot">, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/global-snapshots/{id}", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Delete a global snapshot. */
  delete(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/global-snapshots/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Give a page the state of a global snapshot. */
  apply(id: string, body: Body<"apply_global_snapshot">, query: Query<"apply_global_snapshot"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/global-snapshots/{id}/apply", { params: { path: { id }, query }, body, ...init(options) }));
  }
}
