import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenPageStagedVariableWrites, flattenVariableSnapshot, groupVariablePromotionTrace, sortVariableInspectorRows } from "@tavernkeep/client-helpers";

const item = (scope, scope_id, key, value, updated_at) => ({ id: `${scope}-${key}`, scope, scope_id, key, value, updated_at });

const snapshot = {
  context: { account_id: "a", session_id: "s", global_scope_id: "global" },
  resolved: [
    { key: "gold", value: 7, source_scope: "page", source_scope_id: "p", updated_at: 30 },
    { key: "vs_stat_data", value: { a: 1 }, source_scope: "page", source_scope_id: "p", computed: true, fresh: true, updated_at: 5 },
    { key: "weather", value: "rain", source_scope: "global", source_scope_id: "global", updated_at: 10 },
  ],
  layers: {
    page: { scope: "page", scope_id: "p", items: [item("page", "p", "gold", 7, 30)] },
    chat: { scope: "chat", scope_id: "s", items: [item("chat", "s", "gold", 5, 20)] },
    global: { scope: "global", scope_id: "global", items: [item("global", "global", "weather", "rain", 10), item("global", "global", "gold", 1, 1)] },
  },
};

test("a snapshot becomes rows with winners and what they hide", () => {
  const rows = flattenVariableSnapshot(snapshot);
  assert.deepEqual(
    rows.map((row) => [row.key, row.scope, row.value, row.winner, row.shadowedBy, row.variableId]),
    [
      ["gold", "page", 7, true, null, "page-gold"],
      ["gold", "chat", 5, false, "page", "chat-gold"],
      ["gold", "global", 1, false, "page", "global-gold"],
      ["vs_stat_data", "page", { a: 1 }, true, null, null],
      ["weather", "global", "rain", true, null, "global-weather"],
    ],
  );
  assert.deepEqual(
    flattenVariableSnapshot({ ...snapshot, layers: undefined }).map((row) => row.key),
    ["gold", "vs_stat_data", "weather"],
  );
});

test("rows are sorted into a new list", () => {
  const rows = flattenVariableSnapshot(snapshot);
  const sorted = sortVariableInspectorRows(rows, { by: "updated_at", order: "desc" });
  assert.deepEqual(sorted.map((row) => row.updatedAt), [30, 20, 10, 5, 1]);
  assert.deepEqual(sortVariableInspectorRows(rows, { by: "scope" }).map((row) => row.scope), ["page", "page", "chat", "global", "global"]);
  assert.equal(rows[0].key, "gold");
  const keys = ["\u{1f600}", "\uff5e", "a", "", "ab"].map((key) => ({ ...rows[0], key }));
  assert.deepEqual(sortVariableInspectorRows(keys).map((row) => row.key), ["", "a", "ab", "\uff5e", "\u{1f600}"]);
});

test("staged writes of several pages become one list", () => {
  const page = (id, items) => ({ page_id: id, floor_id: "f", session_id: "s", branch_id: "main", items });
  const rows = flattenPageStagedVariableWrites([
    page("p1", [{ id: "b", key: "mood", status: "staged", created_at: 2 }]),
    page("p2", [{ id: "a", key: "mood", status: "promoted", created_at: 1 }]),
  ]);
  assert.deepEqual(rows.map((row) => [row.id, row.pageId, row.pending]), [["a", "p2", false], ["b", "p1", true]]);
  assert.deepEqual(flattenPageStagedVariableWrites(page("p", [])), []);
});

test("promotions are grouped into the way of each value", () => {
  const step = (id, key, from, to, staged) => ({ id, key, from_scope: from, to_scope: to, staged_write_id: staged, value: id, created_at: 1 });
  const groups = groupVariablePromotionTrace({
    page_id: "p",
    items: [step("1", "mood", "page", "floor", "w"), step("2", "mood", "floor", "branch", "w"), step("3", "hp", "page", "floor", null)],
  });
  assert.deepEqual(groups.map((group) => [group.key, group.scopes, group.value, group.steps.length]), [
    ["mood", ["page", "floor", "branch"], "2", 2],
    ["hp", ["page", "floor"], "3", 1],
  ]);
});
