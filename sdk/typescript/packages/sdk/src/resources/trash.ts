// The trash: what requests deleted, for a while.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Query } from "../types.js";

/** The trash: what requests deleted, for a while. */
export class Trash {
  constructor(private readonly http: Transport) {}

  /** List the trash. */
  list(query: Query<"list_trash"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/trash", { params: { query }, ...init(options) }));
  }

  /** Read an item of the trash. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/trash/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Restore an item of the trash. */
  restore(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/trash/{id}/restore", { params: { path: { id } }, ...init(options) }));
  }

  /** Purge an item of the trash. */
  purge(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/trash/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Read a state of what was deleted. */
  getState(id: string, snapshotId: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/trash/{id}/snapshots/{snapshot_id}", { params: { path: { id, snapshot_id: snapshotId } }, ...init(options) }));
  }
}
