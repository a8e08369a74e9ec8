// Sessions: one conversation each, with its turns, states and history.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Job, ProcessReport, Query } from "../types.js";

/** Sessions: one conversation each, with its turns, states and history. */
export class Sessions {
  constructor(private readonly http: Transport) {}

  /** List sessions. */
  list(query: Query<"list_sessions"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions", { params: { query }, ...init(options) }));
  }

  /** Create a session. */
  create(body: Body<"create_session">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions", { body, ...init(options) }));
  }

  /** Read a session. */
  get(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Change a session. */
  update(id: string, body: Body<"update_session">, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/sessions/{id}", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Delete a session. */
  delete(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/sessions/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Delete many sessions. */
  deleteMany(body: Body<"delete_sessions">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/batch/delete", { body, ...init(options) }));
  }

  /** Read a session's template. */
  getTemplate(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/template", { params: { path: { id } }, ...init(options) }));
  }

  /** Replace a session's template. */
  putTemplate(id: string, body: Body<"put_session_template">, options?: CallOptions) {
    return this.http.data(this.http.api.PUT("/sessions/{id}/template", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Read the state of a branch. */
  getState(id: string, query: Query<"get_session_state"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/state", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Read the floors of a branch with their texts. */
  getTranscript(id: string, query: Query<"get_transcript"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions/{id}/transcript", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Read a floor by its position. */
  getFloorByNumber(id: string, floorNo: number, query: Query<"get_floor_by_number"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/floors/{floor_no}", { params: { path: { id, floor_no: floorNo }, query }, ...init(options) }));
  }

  /** Read the history of a value. */
  getHistory(id: string, query: Query<"get_session_history">, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/history", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Read the floors of a branch with what each of them changed. */
  getLog(id: string, query: Query<"get_session_log"> = {}, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/log", { params: { path: { id }, query }, ...init(options) }));
  }

  /** List the snapshots of a session. */
  listSnapshots(id: string, query: Query<"list_snapshots"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions/{id}/snapshots", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Take a turn. */
  createTurn(id: string, body: Body<"create_turn">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/{id}/turns", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Recomputes a branch: a report, or the job that continues the work (it has a `state`). */
  process(id: string, body: Body<"process_session"> = {}, options?: CallOptions): Promise<ProcessReport | Job> {
    const call = this.http.api.POST("/sessions/{id}/process", { params: { path: { id } }, body, ...init(options) });
    return this.http.data<ProcessReport | Job>(call as never);
  }

  /** Sync a chat. */
  sync(id: string, body: Body<"sync_session">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/{id}/sync", { params: { path: { id } }, body, ...init(options) }));
  }
}
