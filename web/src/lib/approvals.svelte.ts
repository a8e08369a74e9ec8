// What waits for a person's decision, in all sessions: for the badge, the message and the cards.

import type { Approval, Body, StreamEvent } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";
import { t } from "./i18n.svelte.ts";
import { live, sessionOf } from "./live.svelte.ts";
import { go, router } from "./router.svelte.ts";
import { say } from "./toasts.svelte.ts";

/** An approval with the session that it belongs to. */
export interface Pending {
  session: string;
  approval: Approval;
}

// Events that are kept arrive one after the other; after this pause the sessions that they name are read.
const PAUSE_MS = 250;
// After this silence there are no more of them.
const SILENCE_MS = 2_000;
const TYPES = ["approval.requested", "approval.decided"];

class Approvals {
  private sessions = $state.raw<ReadonlyMap<string, readonly Approval[]>>(new Map());
  /** Whether what was asked for before the page was opened is still being looked for. */
  searching = $state(true);
  private readonly decidedHere = new Set<string>();
  private readonly reading = new Map<string, Promise<void>>();

  get all(): Pending[] {
    return [...this.sessions].flatMap(([session, list]) => list.map((approval) => ({ session, approval })));
  }

  of(session: string): readonly Approval[] {
    return this.sessions.get(session) ?? [];
  }

  /** Follows the event stream, and finds what was asked for before. Returns how to stop it. */
  start(): () => void {
    const search = new AbortController();
    void this.find(search);
    const stop = live.on((event) => {
      if (event.type === "purged") void this.find(search);
      else if (TYPES.includes(event.type)) void this.take(event);
      else if (event.type === "session.deleted") this.put(sessionOf(event) ?? "", []);
    });
    return () => {
      stop();
      search.abort();
    };
  }

  /** Reads what is pending in a session. */
  async read(session: string): Promise<void> {
    // An answer that is on its way may be older than the event, so the next one is asked for behind it.
    const earlier = this.reading.get(session) ?? Promise.resolve();
    const now = earlier.then(async () => {
      try {
        this.put(session, (await client.tools.listApprovals(session, { limit: 100 })).data);
      } catch {
        // The session may be gone.
        this.put(session, []);
      }
    });
    this.reading.set(session, now);
    await now;
    if (this.reading.get(session) === now) this.reading.delete(session);
  }

  async decide({ session, approval }: Pending, decision: Body<"decide_approval">): Promise<void> {
    this.decidedHere.add(approval.id);
    try {
      await client.tools.decideApproval(approval.id, decision);
    } catch (error) {
      this.decidedHere.delete(approval.id);
      throw error;
    } finally {
      await this.read(session);
    }
  }

  private put(session: string, list: readonly Approval[]): void {
    const next = new Map(this.sessions);
    if (list.length === 0) next.delete(session);
    else next.set(session, list);
    this.sessions = next;
  }

  private async take(event: StreamEvent): Promise<void> {
    const session = sessionOf(event);
    const { id } = event.data as { id?: string };
    if (session === undefined || id === undefined) return;
    const before = this.of(session).find((approval) => approval.id === id);
    await this.read(session);
    const [page, open] = router.segments;
    const visible = page === "approvals" || (page === "s" && open === session && router.segments[2] === "tools");
    if (event.type === "approval.decided") {
      if (before && visible && !this.decidedHere.delete(id)) say(t("approvals.elsewhere", { tool: before.tool }));
      return;
    }
    const asked = this.of(session).find((approval) => approval.id === id);
    if (!asked || visible) return;
    say(t("approvals.toast", { tool: asked.tool, session }), { label: t("approvals.decide"), run: () => go(["s", session, "tools"]) });
  }

  /** There is no list over all sessions, so the events that are kept say in which of them to look. */
  private async find(search: AbortController): Promise<void> {
    const control = new AbortController();
    const stop = () => control.abort();
    search.signal.addEventListener("abort", stop);
    const asked = new Map<string, string>();
    const read = async () => {
      const sessions = new Set(asked.values());
      asked.clear();
      await Promise.all([...sessions].map((session) => this.read(session)));
      this.searching = false;
    };
    let pause: ReturnType<typeof setTimeout> | undefined;
    let silence = setTimeout(stop, SILENCE_MS);
    try {
      for await (const event of client.events({ types: TYPES }, { lastEventId: "0-0", signal: control.signal })) {
        clearTimeout(silence);
        clearTimeout(pause);
        silence = setTimeout(stop, SILENCE_MS);
        pause = setTimeout(() => void read(), PAUSE_MS);
        const { id } = event.data as { id?: string };
        const session = sessionOf(event);
        if (id === undefined || session === undefined) continue;
        if (event.type === "approval.requested") asked.set(id, session);
        else asked.delete(id);
      }
    } catch {
      // Without it, what is asked for from now on still appears.
    } finally {
      clearTimeout(silence);
      clearTimeout(pause);
      search.signal.removeEventListener("abort", stop);
    }
    if (!search.signal.aborted) await read();
  }
}

export const approvals = new Approvals();
