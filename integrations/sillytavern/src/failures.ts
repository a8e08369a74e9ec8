// What failed in the replies that were processed: counted for the message, listed in the browser's console.

import type { SyncReport, TavernkeepClient } from "@tavernkeep/sdk";

/** Floors whose commands are read one by one; of a long chat that comes at once only the newest are. */
const FLOORS_MAX = 20;

/** How many calls failed. Details are logged. */
export async function failuresOf(client: TavernkeepClient, processed: SyncReport["processed"]): Promise<number> {
  if (!processed) return 0;
  const floors = processed.floors.filter((floor) => floor.refused > 0 || floor.problems > 0);
  const counted = floors.slice(-FLOORS_MAX);
  let count = floors.slice(0, -FLOORS_MAX).reduce((sum, floor) => sum + floor.refused, 0);
  for (const floor of counted) {
    const { commands = [], problems = [] } = await client.floors.getChange(floor.floor_id, { include_commands: true });
    const refused = commands.filter((command) => command.status === "refused");
    const scripts = problems.filter((problem) => problem.code === "script_failed");
    if (refused.length + scripts.length === 0) continue;
    count += refused.length + scripts.length;
    console.error(`[Tavernkeep] floor ${floor.floor_no}:`, ...refused.map(({ name, args, message }) => ({ name, args, message })), ...scripts.map(({ message }) => message));
  }
  return count;
}
