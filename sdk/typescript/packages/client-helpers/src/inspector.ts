// The rows of a variable inspector: every value on every layer, with the winner of each key marked.

import type { Json, Resolved, Scope, Variable } from "@tavernkeep/sdk";

/** The scopes, the one that wins first. */
export const SCOPES: readonly Scope[] = ["page", "floor", "branch", "chat", "global"];

/** One value of one key on one scope. */
export interface VariableInspectorRow {
  key: string;
  value: Json;
  scope: Scope;
  scopeId: string;
  scopeRef: { session_id: string; branch_id: string } | null;
  /** The variable's id; null for a value that is computed or inherited, or when the answer has no layers. */
  variableId: string | null;
  updatedAt: number;
  /** Whether this value is the one that counts. */
  winner: boolean;
  /** The scope of the value that counts instead. */
  shadowedBy: Scope | null;
  /** Set for the story's state, which cannot be written. */
  computed: boolean;
  inheritedFromFloorId: string | null;
}

/** Makes rows of an answer of `variables.resolveContext`: the winners, and with `include_layers` also what they hide. */
export function flattenVariableSnapshot(snapshot: Resolved): VariableInspectorRow[] {
  const layers = SCOPES.flatMap((scope) => snapshot.layers?.[scope]?.items ?? []);
  const byAddress = new Map(layers.map((item) => [address(item.scope, item.scope_id, item.key), item]));
  const rows: VariableInspectorRow[] = [];
  const winners = new Map<string, Scope>();
  for (const winner of snapshot.resolved) {
    const own = address(winner.source_scope, winner.source_scope_id, winner.key);
    const item = winner.computed ? undefined : byAddress.get(own);
    if (item) byAddress.delete(own);
    winners.set(winner.key, winner.source_scope);
    rows.push({
      key: winner.key,
      value: winner.value,
      scope: winner.source_scope,
      scopeId: winner.source_scope_id,
      scopeRef: winner.source_scope_ref ?? null,
      variableId: item?.id ?? null,
      updatedAt: winner.updated_at,
      winner: true,
      shadowedBy: null,
      computed: winner.computed ?? false,
      inheritedFromFloorId: winner.inherited_from_floor_id ?? null,
    });
  }
  for (const item of byAddress.values()) rows.push(hidden(item, winners.get(item.key) ?? null));
  return sortVariableInspectorRows(rows);
}

function hidden(item: Variable, shadowedBy: Scope | null): VariableInspectorRow {
  return {
    key: item.key,
    value: item.value,
    scope: item.scope,
    scopeId: item.scope_id,
    scopeRef: item.scope_ref ?? null,
    variableId: item.id,
    updatedAt: item.updated_at,
    winner: false,
    shadowedBy,
    computed: false,
    inheritedFromFloorId: null,
  };
}

const address = (scope: Scope, scopeId: string, key: string) => JSON.stringify([scope, scopeId, key]);

export interface SortOptions {
  by?: "key" | "updated_at" | "scope";
  order?: "asc" | "desc";
}

/** Sorts rows by key, time or scope, into a new list. Within a key the value that wins comes first. */
export function sortVariableInspectorRows(rows: readonly VariableInspectorRow[], options: SortOptions = {}): VariableInspectorRow[] {
  const { by = "key", order = "asc" } = options;
  const sign = order === "asc" ? 1 : -1;
  const rank = (row: VariableInspectorRow) => SCOPES.indexOf(row.scope);
  const first = (left: VariableInspectorRow, right: VariableInspectorRow): number => {
    if (by === "updated_at") return left.updatedAt - right.updatedAt;
    if (by === "scope") return rank(left) - rank(right);
    return compareKeys(left.key, right.key);
  };
  return [...rows].sort(
    (left, right) =>
      sign * first(left, right) ||
      compareKeys(left.key, right.key) ||
      Number(right.winner) - Number(left.winner) ||
      rank(left) - rank(right),
  );
}

/** Compares keys by code points, which is the order of their bytes in UTF-8 and so the order of the server. */
function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [Array.from(left), Array.from(right)];
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const difference = (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
