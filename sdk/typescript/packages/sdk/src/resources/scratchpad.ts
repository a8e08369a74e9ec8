// The scratchpad: the bounded set of variables that an agent works with.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** The scratchpad: the bounded set of variables that an agent works with. */
export class Scratchpad {
  constructor(private readonly http: Transport) {}

  /** List the variables of the scratchpad. */
  list(id: string, query: Query<"list_scratchpad"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions/{id}/scratchpad", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Read a variable of the scratchpad. */
  get(id: string, name: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/scratchpad/{name}", { params: { path: { id, name } }, ...init(options) }));
  }

  /** Write a variable of the scratchpad. */
  put(id: string, name: string, body: Body<"put_scratchpad_variable">, options?: CallOptions) {
    return this.http.data(this.http.api.PUT("/sessions/{id}/scratchpad/{name}", { params: { path: { id, name } }, body, ...init(options) }));
  }

  /** Remove a variable of the scratchpad. */
  delete(id: string, name: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/sessions/{id}/scratchpad/{name}", { params: { path: { id, name } }, ...init(options) }));
  }

  /** Put a page's text on the scratchpad. */
  cacheMessage(id: string, body: Body<"cache_message">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/{id}/scratchpad/messages", { params: { path: { id } }, body, ...init(options) }));
  }
}
