// The account of the caller.

import { type CallOptions, init, type Transport } from "../transport.js";
import type { Body, Query } from "../types.js";

/** The account of the caller. */
export class Account {
  constructor(private readonly http: Transport) {}

  /** Read the account. */
  get(options?: CallOptions) {
    return this.http.data(this.http.api.GET("/account", { ...init(options) }));
  }

  /** Delete the account. */
  delete(query: Query<"delete_account">, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/account", { params: { query }, ...init(options) }));
  }

  /** Sign a browser in: the key becomes a cookie. */
  signIn(body: Body<"sign_in">, options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sign-in", { body, ...init(options) }));
  }

  /** Sign this browser out. */
  signOut(options?: CallOptions) {
    return this.http.data(this.http.api.POST("/sign-out", { ...init(options) }));
  }

  /** List the browsers that are signed in. */
  listBrowsers(query: Query<"list_browsers"> = {}, options?: CallOptions) {
    return this.http.whole(this.http.api.GET("/browsers", { params: { query }, ...init(options) }));
  }

  /** Sign another browser out. */
  signOutBrowser(id: string, options?: CallOptions) {
    return this.http.data(this.http.api.DELETE("/browsers/{id}", { params: { path: { id } }, ...init(options) }));
  }
}
