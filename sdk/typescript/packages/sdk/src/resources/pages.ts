// Pages: candidate texts (swipes) with their states and edits.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Pages: candidate texts (swipes) with their states and edits. */
export class Pages {
  constructor(private readonly http: Transport) {}

  /** List the pages of a floor. */
  list(query: Query<"list_pages">, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/pages", { params: { query }, ...init(options) }));
  }

  /** Create a page. */
  create(body: Body<"create_page">, query: Query<"create_page"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/pages", { params: { query }, body, ...init(options) }));
  }

  /** Read a page. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/pages/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Change a page. */
  update(id: string, body: Body<"update_page">, query: Query<"update_page"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/pages/{id}", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Delete a page. */
  delete(id: string, query: Query<"delete_page"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/pages/{id}", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Delete many pages. */
  deleteMany(body: Body<"delete_pages">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/pages/batch/delete", { body, ...init(options) }));
  }

  /** Choose a swipe. */
  activate(id: string, query: Query<"activate_page"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/pages/{id}/activate", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Fork a branch from a page. */
  fork(id: string, body: Body<"fork_page"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/pages/{id}/branch", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Read the state at a page. */
  getState(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/pages/{id}/state", { params: { path: { id } }, ...init(options) }));
  }

  /** Change parts of a page's state by hand. */
  patchState(id: string, body: Body<"patch_page_state">, query: Query<"patch_page_state"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/pages/{id}/state", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Find what set a value. */
  getBlame(id: string, query: Query<"get_page_blame">, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/pages/{id}/blame", { params: { path: { id }, query }, ...init(options) }));
  }

  /** List the edits of a page. */
  listEdits(id: string, query: Query<"list_page_edits"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/pages/{id}/edits", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Take an edit of a page back. */
  takeBackEdit(id: string, editId: string, query: Query<"delete_page_edit"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/pages/{id}/edits/{edit_id}", { params: { path: { id, edit_id: editId }, query }, ...init(options) }));
  }

  /** Undo the changes of a page. */
  undo(id: string, body: Body<"undo_page"> = {}, query: Query<"undo_page"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/pages/{id}/undo", { params: { path: { id }, query }, body, ...init(options) }));
  }

  /** Take the last undo of a page back. */
  redo(id: string, query: Query<"redo_page"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/pages/{id}/redo", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Stage a write on a page. */
  stageWrite(id: string, body: Body<"stage_variable_write">, query: Query<"stage_variable_write"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/pages/{id}/variables/staged", { params: { path: { id }, query }, body, ...init(options) }));
  }
}
