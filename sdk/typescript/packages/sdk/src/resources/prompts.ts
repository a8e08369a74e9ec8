// Prompts: macros and views over the state.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Prompts: macros and views over the state. */
export class Prompts {
  constructor(private readonly http: Transport) {}

  /** Read a prompt kit. */
  getKit(id: string, query: Query<"get_prompt_kit"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/prompt-kit", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Preview a prompt. */
  preview(id: string, body: Body<"preview_prompt">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/{id}/prompt-runtime/preview", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Render a prompt. */
  render(id: string, body: Body<"render_prompt">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/{id}/prompt-runtime/render", { params: { path: { id } }, body, ...init(options) }));
  }
}
