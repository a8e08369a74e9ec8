// Failures of functions and commands in turns: a message with their count and names that leads to the floor.

import type { AppliedCommand, ReplyProblem } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";
import { t } from "./i18n.svelte.ts";
import { live, sessionOf } from "./live.svelte.ts";
import { go } from "./router.svelte.ts";
import { toasts } from "./toasts.svelte.ts";
import { brief } from "./values.ts";

interface Outcome {
  page_id: string;
  floor_no: number;
  branch: string;
  commands: readonly AppliedCommand[];
  problems: readonly ReplyProblem[];
}

// Pages that were reported: a turn of this page is in the answer and on the event stream.
const reported = new Set<string>();

/** Shows what failed in turns of a session, once for each of them. */
export function reportFailures(session: string, outcomes: readonly Outcome[]): void {
  const fresh = outcomes.filter((outcome) => !reported.has(outcome.page_id) && failed(outcome).length > 0);
  const first = fresh[0];
  if (!first) return;
  for (const { page_id } of fresh) reported.add(page_id);
  const all = fresh.flatMap(failed);
  const isFunction = fresh.some(({ commands, problems }) => [...commands, ...problems].some(({ code }) => code === "script_failed"));
  const text = t(isFunction ? "functions.failedToast" : "floor.refusedToast", { count: all.length, names: brief(counted(all), 200) });
  const branch = first.branch === "main" ? null : first.branch;
  toasts.add({ kind: "error", text, action: { label: t("floor.show"), run: () => go(["s", session], { branch, floor: first.floor_no }) } });
}

/** The names of what failed. A problem of a function begins with its name. */
function failed({ commands, problems }: Outcome): string[] {
  return [
    ...commands.filter((command) => command.status === "refused").map((command) => command.name),
    ...problems.filter((problem) => problem.code === "script_failed").map((problem) => problem.message.split(": ")[0] ?? ""),
  ];
}

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
}

// A chat that arrives at once has thousands of turns: its newest are reported together, when no more have come for a moment.
const TURNS_MAX = 20;
const QUIET_MS = 200;

/** Reports the turns of a session that arrive on the event stream. */
export function watchFailures(session: string): () => void {
  const floors = new Map<string, string>();
  const due = new Map<string, { floor: string; branch: string }>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function read() {
    const turns = [...due].slice(-TURNS_MAX);
    due.clear();
    const outcomes = await Promise.all(turns.map(([page, { floor, branch }]) => outcomeOf(page, floor, branch)));
    reportFailures(session, outcomes.filter((outcome) => outcome !== null));
  }

  const stop = live.on((event) => {
    if (sessionOf(event) !== session) return;
    const { id, floor_id, page_id, branch_id } = event.data as { id?: string; floor_id?: string; page_id?: string; branch_id?: string };
    if (event.type === "page.created" && id && floor_id) floors.set(id, floor_id);
    else if (event.type === "state.computed" && page_id) {
      const floor = floors.get(page_id);
      // A state that is computed again belongs to no new turn.
      if (floor === undefined || !floors.delete(page_id)) return;
      due.set(page_id, { floor, branch: branch_id ?? "main" });
      clearTimeout(timer);
      timer = setTimeout(() => void read(), QUIET_MS);
    }
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

async function outcomeOf(page_id: string, floor_id: string, branch: string): Promise<Outcome | null> {
  if (reported.has(page_id)) return null;
  try {
    const { page_id: shown, commands = [], problems = [] } = await client.floors.getChange(floor_id, { include_commands: true });
    if (shown !== page_id) return null;
    const outcome = { page_id, floor_no: 0, branch, commands, problems };
    return failed(outcome).length > 0 ? { ...outcome, floor_no: (await client.floors.get(floor_id)).floor_no } : null;
  } catch {
    // The floor is gone already.
    return null;
  }
}
