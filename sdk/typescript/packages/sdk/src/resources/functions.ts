// Functions: what models call in replies, and what runs by itself.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Functions: what models call in replies, and what runs by itself. */
export class Functions {
  constructor(private readonly http: Transport) {}

  /** List functions. */
  list(query: Query<"list_functions"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/functions", { params: { query }, ...init(options) }));
  }

  /** Create a function. */
  create(body: Body<"create_function">, query: Query<"create_function"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/functions", { params: { query }, body, ...init(options) }));
  }

  /** Read a function. */
  get(id: string, query: Query<"get_function"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/functions/{id}", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Change a function. */
  update(id: string, body: Body<"update_function">, query: Query<"update_function"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/functions/{id}", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Delete a function. */
  delete(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/functions/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Copy a function. */
  copy(id: string, body: Body<"copy_function">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/functions/{id}/copy", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Move a function. */
  move(id: string, body: Body<"move_function">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/functions/{id}/move", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Reorder functions. */
  reorder(body: Body<"reorder_functions">, query: Query<"reorder_functions"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/functions/reorder", { params: { query }, body, ...init(options) }));
  }

  /** Import functions. */
  import(body: Body<"import_functions">, query: Query<"import_functions"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/functions/import", { params: { query }, body, ...init(options) }));
  }

  /** Export functions. */
  export(body: Body<"export_functions">, query: Query<"export_functions"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/functions/export", { params: { query }, body, ...init(options) }));
  }

  /** Try functions out. */
  test(body: Body<"test_functions">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/functions/test", { body, ...init(options) }));
  }

  /** Read the prompt of functions. */
  getPrompt(query: Query<"function_prompt"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/functions/prompt", { params: { query }, ...init(options) }));
  }
}
