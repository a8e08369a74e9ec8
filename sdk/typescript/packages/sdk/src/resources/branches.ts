// Branches: lines through a conversation.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Query } from "../types.js";

/** Branches: lines through a conversation. */
export class Branches {
  constructor(private readonly http: Transport) {}

  /** List the branches of a session. */
  list(id: string, query: Query<"list_branches"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions/{id}/branches", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Delete a branch. */
  delete(branchId: string, query: Query<"delete_branch">, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/branches/{branch_id}", { params: { path: { branch_id: branchId }, query }, ...init(options) }));
  }
}
