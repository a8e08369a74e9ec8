// Follows the session's events, so that an edit in the console is in the chat's variables at once.

import type { Keeper } from "./keeper.ts";
import { settings } from "./settings.ts";

const TYPES = ["state.computed", "state.edited", "state.dropped"];

export class Live {
  private followed: string | null = null;
  private stop: AbortController | null = null;

  constructor(private readonly keeper: Keeper) {}

  /** Listens to the session of the open chat, and to no other. */
  follow(): void {
    const { session, status } = this.keeper;
    const { address, through_plugin } = settings();
    const wanted = session === null ? null : `${session} ${through_plugin} ${address}`;
    // A stream that breaks is opened again by itself.
    if (status === "working" || wanted === this.followed) return;
    this.stop?.abort();
    this.stop = null;
    this.followed = null;
    if (session === null || status !== "ready") return;
    this.followed = wanted;
    const stop = new AbortController();
    this.stop = stop;
    void this.listen(session, stop.signal);
  }

  private async listen(session: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of this.keeper.client().events({ session_id: session, types: TYPES }, { signal })) {
        // What this window did itself comes back here, too; reading the state once more is cheap.
        if (event.type !== "ready") this.keeper.lookAgain();
      }
    } catch (error) {
      // Without events, changes of others are found at the next event of SillyTavern.
      if (!signal.aborted) console.warn("[Tavernkeep] events:", error);
    }
  }
}
