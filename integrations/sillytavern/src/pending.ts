// Chats that were deleted or renamed while the server was away. Texts need no queue: the next reconciliation sends what is missing.

import type { Pending } from "./settings.ts";

/** Adds what happened, and drops what it makes pointless. */
export function addPending(queue: readonly Pending[], item: Pending): Pending[] {
  if ("renamed" in item) {
    const [from, to] = item.renamed;
    // Renamed twice is renamed once.
    const before = queue.findIndex((other) => "renamed" in other && other.renamed[1] === from);
    if (before < 0) return [...queue, item];
    const first = (queue[before] as { renamed: [string, string] }).renamed[0];
    const rest = queue.filter((_, index) => index !== before);
    return first === to ? rest : [...rest, { renamed: [first, to] }];
  }
  // A chat that was renamed and then deleted is known to the server by its first name.
  const renamed = queue.find((other) => "renamed" in other && other.renamed[1] === item.deleted);
  const name = renamed && "renamed" in renamed ? renamed.renamed[0] : item.deleted;
  const rest = queue.filter((other) => other !== renamed && !("deleted" in other && other.deleted === name));
  return [...rest, { deleted: name }];
}
