// Keys of the account.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Keys of the account. */
export class Keys {
  constructor(private readonly http: Transport) {}

  /** List keys. */
  list(query: Query<"list_keys"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/keys", { params: { query }, ...init(options) }));
  }

  /** Create a key. */
  create(body: Body<"create_key">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/keys", { body, ...init(options) }));
  }

  /** Revoke a key. */
  revoke(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/keys/{id}", { params: { path: { id } }, ...init(options) }));
  }
}
