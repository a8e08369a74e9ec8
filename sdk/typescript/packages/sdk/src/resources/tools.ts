// Tools: groups, calls and approvals.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** Tools: groups, calls and approvals. */
export class Tools {
  constructor(private readonly http: Transport) {}

  /** List the tool groups of a session. */
  listGroups(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/tools/groups", { params: { path: { id } }, ...init(options) }));
  }

  /** Register a tool group. */
  registerGroup(id: string, body: Body<"register_tool_group">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/{id}/tools/groups", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Enable or disable a tool group. */
  updateGroup(id: string, name: string, body: Body<"update_tool_group">, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/sessions/{id}/tools/groups/{name}", { params: { path: { id, name } }, body, ...init(options) }));
  }

  /** Change a tool. */
  update(id: string, name: string, body: Body<"update_tool">, options?: CallOptions) {
    return this.http.data(this.http.api.PATCH("/sessions/{id}/tools/{name}", { params: { path: { id, name } }, body, ...init(options) }));
  }

  /** List the definitions of the enabled tools. */
  listDefinitions(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/tools/definitions", { params: { path: { id } }, ...init(options) }));
  }

  /** Read the rules about tools. */
  getRules(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/sessions/{id}/tools/rules", { params: { path: { id } }, ...init(options) }));
  }

  /** Read the defaults of tools. */
  getDefaults(options?: CallOptions) {
    return this.http.data(this.http.api.GET("/tools/defaults", { ...init(options) }));
  }

  /** Replace the defaults of tools. */
  putDefaults(body: Body<"put_tool_defaults">, options?: CallOptions) {
    return this.http.data(this.http.api.PUT("/tools/defaults", { body, ...init(options) }));
  }

  /** List the calls of a session. */
  listCalls(id: string, query: Query<"list_calls"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions/{id}/calls", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Call a tool. */
  call(id: string, body: Body<"create_call">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sessions/{id}/calls", { params: { path: { id } }, body, ...init(options) }));
  }

  /** Read a call. */
  getCall(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.GET("/calls/{id}", { params: { path: { id } }, ...init(options) }));
  }

  /** Cancel a call. */
  cancelCall(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/calls/{id}/cancel", { params: { path: { id } }, ...init(options) }));
  }

  /** Return the result of a client's call. */
  returnCall(id: string, body: Body<"return_call">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/calls/{id}/result", { params: { path: { id } }, body, ...init(options) }));
  }

  /** List pending approvals. */
  listApprovals(id: string, query: Query<"list_approvals"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions/{id}/approvals", { params: { path: { id }, query }, ...init(options) }));
  }

  /** List pending approvals of all sessions. */
  listAllApprovals(query: Query<"list_all_approvals"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/approvals", { params: { query }, ...init(options) }));
  }

  /** Decide about an approval. */
  decideApproval(id: string, body: Body<"decide_approval">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/approvals/{id}", { params: { path: { id } }, body, ...init(options) }));
  }

  /** List the decisions that count longer than their call. */
  listGrants(id: string, query: Query<"list_grants"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/sessions/{id}/grants", { params: { path: { id }, query }, ...init(options) }));
  }

  /** Revoke such a decision: the next call asks again. */
  revokeGrant(id: string, grantId: string, options?: CallOptions) {
    return this.http.data(
      this.http.api.DELETE("/sessions/{id}/grants/{grant_id}", { params: { path: { id, grant_id: grantId } }, ...init(options) }),
    );
  }
}
