// A short tour through the demo conversation: one sentence a page.

import { client } from "./api.svelte.ts";
import { go, type Params } from "./router.svelte.ts";

const SESSION = "demo";
const STEPS: { at: string[]; query?: Params }[] = [
  { at: ["s", SESSION], query: { floor: 2 } },
  { at: ["s", SESSION], query: { branch: "the road at night" } },
  { at: ["s", SESSION, "snapshots"] },
  { at: ["s", SESSION, "history"], query: { path: "yuki.affinity\nyou.silver", branches: "main\nthe road at night" } },
  { at: ["s", SESSION, "variables"] },
  { at: ["characters", "yuki"] },
];
export type TourStep = 0 | 1 | 2 | 3 | 4 | 5;

class Tour {
  step = $state<TourStep | null>(null);
  readonly length = STEPS.length;

  show(step: number): void {
    const found = STEPS[step];
    this.step = found ? (step as TourStep) : null;
    if (found) go(found.at, found.query);
  }

  end(): void {
    this.step = null;
  }
}

export const tour = new Tour();

/** Whether the demo conversation is there. */
export async function hasDemo(): Promise<boolean> {
  return (await client.sessions.list({ chat_file: SESSION, limit: 1, total: false })).data.length > 0;
}
