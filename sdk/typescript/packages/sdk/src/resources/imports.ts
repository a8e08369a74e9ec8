// Files of SillyTavern, in and out.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** What an import may say beside the file itself. */
export type ImportOptions = Omit<Body<"import_file">, "content" | "content_base64">;

/** Files of SillyTavern, in and out. */
export class Imports {
  constructor(private readonly http: Transport) {}

  /** Import a chat (`.jsonl`) or a card (PNG or JSON), whose content is text or Base64. */
  run(body: Body<"import_file">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/import", { body, ...init(options) }));
  }

  /** Import a file, such as one that was dropped on a page. */
  async file(file: Blob & { name?: string }, body: Partial<ImportOptions> = {}, options?: CallOptions) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    return this.run({ ...(file.name !== undefined && { file_name: file.name }), ...body, content_base64: base64(bytes) } as Body<"import_file">, options);
  }

  /** A session as a chat file. */
  async session(id: string, query: Query<"export_session"> = {}, options?: CallOptions): Promise<Blob> {
    return this.http.blob(this.http.api.GET("/sessions/{id}/export", { params: { path: { id }, query }, parseAs: "blob", ...init(options) }));
  }

  /** A character as a card: a picture, or JSON. */
  async character(id: string, query: Query<"export_character"> = {}, options?: CallOptions): Promise<Blob> {
    return this.http.blob(this.http.api.GET("/characters/{id}/export", { params: { path: { id }, query }, parseAs: "blob", ...init(options) }));
  }
}

/** Bytes as Base64, some at a time: a function takes no million of arguments. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x6000) text += btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000)));
  return text;
}
