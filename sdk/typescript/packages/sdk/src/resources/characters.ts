// Characters: templates, greetings and profiles that sessions share.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Characters: templates, greetings and profiles that sessions share. */
export class Characters {
  constructor(private readonly http: Transport) {}

  /** List characters. */
  list(query: Query<"list_characters"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/characters", { params: { query }, ...init(options) }));
  }

  /** Create a character. */
  create(body: Body<"create_character">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/characters", { body, ...init(options) }));
  }

  /** Read a character. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/characters/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Change a character. */
  update(id: string, body: Body<"update_character">, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/characters/{id}", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Delete a character. */
  delete(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/characters/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Read a character's template. */
  getTemplate(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/characters/{id}/template", { params: { path: { id } }, ...init(options) }));
  }

  /** Replace a character's template. */
  putTemplate(id: string, body: Body<"put_template">, options?: CallOptions) {
    return this.http.data(this.http.api.PUT("/characters/{id}/template", { params: { path: { id } }, body, ...init(options) }));
  }
}
