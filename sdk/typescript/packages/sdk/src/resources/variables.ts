// Variables on the five scopes, and what they resolve to.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Variables on the five scopes, and what they resolve to. */
export class Variables {
  constructor(private readonly http: Transport) {}

  /** List variables. */
  list(query: Query<"list_variables"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/variables", { params: { query }, ...init(options) }));
  }

  /** Set a variable. */
  put(body: Body<"put_variable">, options?: CallOptions) {
    return this.http.data(this.http.api.PUT("/variables", { body, ...init(options) }));
  }

  /** Set many variables. */
  putMany(body: Body<"put_variables">, options?: CallOptions) {
    return this.http.data(this.http.api.PUT("/variables/batch", { body, ...init(options) }));
  }

  /** Read a variable. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/variables/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Patch a variable. */
  patch(id: string, body: Body<"patch_variable">, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/variables/{id}", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Delete a variable. */
  delete(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/variables/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Delete a variable by its address. */
  deleteByTarget(query: Query<"delete_variable_by_target">, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/variables", { params: { query }, ...init(options) }));
  }

  /** Delete many variables. */
  deleteMany(body: Body<"delete_variables">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/variables/batch/delete", { body, ...init(options) }));
  }

  /** Count a variable up. */
  increment(body: Body<"increment_variable">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/variables/increment", { body, ...init(options) }));
  }

  /** Read the history of a variable. */
  getHistory(id: string, query: Query<"variable_history"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/variables/{id}/history", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Resolve variables. */
  resolveContext(query: Query<"resolve_variables">, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/variables/resolve", { params: { query }, ...init(options) }));
  }

  /** List the staged writes of a page. */
  getPageStagedWrites(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/pages/{id}/variables/staged", { params: { path: { id } }, ...init(options) }));
  }

  /** List what a page has promoted. */
  getPagePromotions(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/pages/{id}/variables/promotions", { params: { path: { id } }, ...init(options) }));
  }
}
