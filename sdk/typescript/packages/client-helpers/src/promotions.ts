// Promotions grouped into the way that each value took.

import type { Json, Promotion, Promotions, Scope } from "@tavernkeep/sdk";

/** The way of one value: from its page to its floor, and on if it was asked for. */
export interface PromotionGroup {
  key: string;
  /** The staged write that asked for it; null for a value that was put on the page. */
  stagedWriteId: string | null;
  /** The scopes it went through, such as `["page", "floor", "branch"]`. */
  scopes: Scope[];
  value: Json;
  steps: Promotion[];
}

/** Groups an answer of `variables.getPagePromotions` by key and staged write, in order of time. */
export function groupVariablePromotionTrace(trace: Promotions | readonly Promotion[]): PromotionGroup[] {
  const items = Array.isArray(trace) ? (trace as readonly Promotion[]) : (trace as Promotions).items;
  const groups = new Map<string, PromotionGroup>();
  // A stable sort: steps of one commit have the same time and keep their order.
  for (const step of [...items].sort((left, right) => left.created_at - right.created_at)) {
    const id = JSON.stringify([step.key, step.staged_write_id ?? null]);
    let group = groups.get(id);
    if (!group) {
      group = { key: step.key, stagedWriteId: step.staged_write_id ?? null, scopes: [step.from_scope], value: step.value, steps: [] };
      groups.set(id, group);
    }
    group.steps.push(step);
    group.value = step.value;
    if (group.scopes.at(-1) !== step.to_scope) group.scopes.push(step.to_scope);
  }
  return [...groups.values()];
}
