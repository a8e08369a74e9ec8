// The client of this page's own server, and who is signed in.

import { type Account, AuthError, TavernkeepClient } from "@tavernkeep/sdk";

/** Where the API is: what stands before `/console/` in the address of this page. */
export const baseUrl = location.origin + location.pathname.replace(/\/console\/.*$/, "");

export const client = new TavernkeepClient({ baseUrl });

class Access {
  /** `unknown` until the server has answered. */
  state = $state<"unknown" | "open" | "in" | "out">("unknown");
  account = $state.raw<Account | null>(null);

  async check(): Promise<void> {
    try {
      this.account = await client.account.get();
      this.state = this.account.key_id === null ? "open" : "in";
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      this.state = "out";
      this.account = null;
    }
  }

  get canWrite(): boolean {
    return this.account?.role !== "read";
  }

  get isAdmin(): boolean {
    return this.account?.role === "admin";
  }
}

export const access = new Access();
