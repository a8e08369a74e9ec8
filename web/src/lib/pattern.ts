// Patterns of active functions as the server reads them: `/…/flags` is a literal, anything else gets the flag `g`.

import { type Json, parseJson } from "@tavernkeep/sdk";

export interface PatternRequest {
  pattern: string;
  text: string;
}

export interface Match {
  start: number;
  end: number;
  /** The groups as the function gets them: as JSON, else as a number, else as text. */
  args: Json[];
}

export type PatternResult = { matches: Match[] } | { error: string };

const MATCHES_MAX = 100;
// With the time that it takes to load the worker.
const GIVE_UP_MS = 2_000;

/** All matches of a pattern, or what is wrong with it. */
export function find({ pattern, text }: PatternRequest): PatternResult {
  try {
    const literal = /^\/(.+)\/([a-z]*)$/s.exec(pattern);
    const expression = literal ? new RegExp(literal[1] ?? "", literal[2]) : new RegExp(pattern, "g");
    const found = expression.global ? text.matchAll(expression) : [expression.exec(text)].filter((match) => match !== null);
    const matches: Match[] = [];
    for (const match of found) {
      matches.push({ start: match.index, end: match.index + match[0].length, args: match.slice(1).map(argument) });
      if (matches.length >= MATCHES_MAX) break;
    }
    return { matches };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function argument(group: string | undefined): Json {
  if (group === undefined) return null;
  try {
    return parseJson(group);
  } catch {
    const number = Number(group);
    return group.trim() !== "" && Number.isFinite(number) ? number : group;
  }
}

/** Runs a pattern in a worker and gives up after a while: `null`. */
export function findInWorker(request: PatternRequest): { result: Promise<PatternResult | null>; stop: () => void } {
  const worker = new Worker(new URL("./pattern.worker.ts", import.meta.url), { type: "module" });
  let timer: ReturnType<typeof setTimeout>;
  const result = new Promise<PatternResult | null>((done) => {
    worker.onmessage = ({ data }: MessageEvent<PatternResult>) => done(data);
    worker.onerror = () => done(null);
    timer = setTimeout(() => done(null), GIVE_UP_MS);
    worker.postMessage(request);
  }).finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
  return { result, stop: () => worker.terminate() };
}
