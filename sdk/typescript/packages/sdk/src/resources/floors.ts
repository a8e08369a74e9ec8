// Floors: positions on a branch.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Floors: positions on a branch. */
export class Floors {
  constructor(private readonly http: Transport) {}

  /** List the floors of a session. */
  list(query: Query<"list_floors">, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/floors", { params: { query }, ...init(options) }));
  }

  /** Create a floor. */
  create(body: Body<"create_floor">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/floors", { body, ...init(options) }));
  }

  /** Read a floor. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/floors/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Change a floor. */
  update(id: string, body: Body<"update_floor">, query: Query<"update_floor"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/floors/{id}", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Delete a floor. */
  delete(id: string, query: Query<"delete_floor"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/floors/{id}", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Delete many floors. */
  deleteMany(body: Body<"delete_floors">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/floors/batch/delete", { body, ...init(options) }));
  }

  /** Fork a branch. */
  fork(id: string, body: Body<"fork_branch"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/floors/{id}/branch", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Start generating. */
  generate(id: string, body: Body<"generate_floor"> = {}, query: Query<"generate_floor"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/floors/{id}/generate", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Commit a floor. */
  commit(id: string, body: Body<"commit_floor"> = {}, query: Query<"commit_floor"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/floors/{id}/commit", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Fail a floor. */
  fail(id: string, body: Body<"fail_floor"> = {}, query: Query<"fail_floor"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/floors/{id}/fail", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Read what a floor changed. */
  getChange(id: string, query: Query<"get_floor_change"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/floors/{id}/change", { params: { path: { id }, query }, ...init(options) }));
  }
}
