// What waits for a person's decision, in all sessions: for the badge, the message and the cards.

import type { Approval, Body, StreamEvent } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";
import { t } from "./i18n.svelte.ts";
import { inTurn } from "./in-turn.ts";
import { wholeList } from "./lists.ts";
import { live } from "./live.svelte.ts";
import { go, router } from "./router.svelte.ts";
import { explain, say } from "./toasts.svelte.ts";

class Approvals {
  all = $state.raw<readonly Approval[]>([]);
  /** Whether what waits was read; until then nobody knows whether there is anything. */
  loaded = $state(false);
  /** Why it could not be read. */
  failed = $state("");
  private readonly decidedHere = new Set<string>();

  of(session: string): readonly Approval[] {
    return this.all.filter((approval) => approval.session_id === session);
  }

  /** Reads what waits and follows the event stream, which is open by then. Returns how to stop it. */
  start(): () => void {
    void this.read();
    return live.on((event) => {
      if (event.type === "approval.requested") void this.ask(event);
      else if (event.type === "approval.decided") void this.take(event);
      else if (["purged", "session.created", "session.deleted"].includes(event.type)) void this.read();
    });
  }

  readonly read = inTurn(async () => {
    try {
      this.all = await wholeList((window) => client.tools.listAllApprovals(window));
      [this.loaded, this.failed] = [true, ""];
    } catch (error) {
      this.failed = explain(error).text;
    }
  });

  async decide(approval: Approval, decision: Body<"decide_approval">): Promise<void> {
    this.decidedHere.add(approval.id);
    try {
      await client.tools.decideApproval(approval.id, decision);
    } catch (error) {
      this.decidedHere.delete(approval.id);
      throw error;
    } finally {
      await this.read();
    }
  }

  /** A message says that a decision is asked for, unless its card can be seen. */
  private async ask(event: StreamEvent): Promise<void> {
    await this.read();
    const asked = this.find(event);
    if (!asked || isShown(asked)) return;
    const session = asked.session_id;
    say(t("approvals.toast", { tool: asked.tool, session }), { label: t("approvals.decide"), run: () => go(["s", session, "tools"]) });
  }

  /** A card that goes away though nobody touched it here says why. */
  private async take(event: StreamEvent): Promise<void> {
    const before = this.find(event);
    const isMine = this.decidedHere.delete(idOf(event));
    await this.read();
    if (before && isShown(before) && !isMine) say(t("approvals.elsewhere", { tool: before.tool }));
  }

  private find(event: StreamEvent): Approval | undefined {
    return this.all.find((approval) => approval.id === idOf(event));
  }
}

const idOf = (event: StreamEvent): string => (event.data as { id: string }).id;

function isShown(approval: Approval): boolean {
  const [page, open, tab] = router.segments;
  return page === "approvals" || (page === "s" && open === approval.session_id && tab === "tools");
}

export const approvals = new Approvals();
