// Snapshots: the stored states of pages.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Snapshots: the stored states of pages. */
export class Snapshots {
  constructor(private readonly http: Transport) {}

  /** Read a snapshot. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/snapshots/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Give a snapshot another state by hand. */
  put(id: string, body: Body<"put_snapshot">, query: Query<"put_snapshot"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.PUT("/snapshots/{id}", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Change parts of a snapshot by hand. */
  patch(id: string, body: Body<"patch_snapshot">, query: Query<"patch_snapshot"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/snapshots/{id}", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Drop a snapshot. */
  delete(id: string, query: Query<"delete_snapshot"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/snapshots/{id}", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Compare two snapshots. */
  diff(id: string, query: Query<"diff_snapshots">, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/snapshots/{id}/diff", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Drop the snapshots of chats that no longer exist. */
  cleanUp(body: Body<"clean_up_snapshots">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/snapshots/cleanup", { body, ...init(options) }));
  }

  /** Drop the snapshots of a chat. */
  deleteByChat(body: Body<"delete_snapshots_by_chat">, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/snapshots/by-chat", { body, ...init(options) }));
  }
}
