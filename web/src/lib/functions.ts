// Functions of the library: whose they are, what is typed of them, and where their code fails.

import type { Body, FunctionEntry, LibraryFunction, Query } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";

/** The library of the account, or of a character. */
export type Library = string | null;

export function scopeOf(character: Library): Query<"list_functions"> {
  return character === null ? {} : { scope: "character", character_id: character };
}

/** The library as the end of an address. */
export function scopeQuery(character: Library): string {
  return character === null ? "" : `?scope=character&character_id=${encodeURIComponent(character)}`;
}

/** Where a copy or a moved function goes. */
export function targetOf(character: Library): Body<"move_function"> {
  return character === null ? { scope: "global" } : { scope: "character", character_id: character };
}

/** All functions of a library, in the order in which they run. */
export async function readLibrary(character: Library): Promise<LibraryFunction[]> {
  const found: LibraryFunction[] = [];
  for (let next = true; next; ) {
    const { data, meta } = await client.functions.list({ ...scopeOf(character), limit: 100, offset: found.length, total: false });
    found.push(...data);
    next = meta.has_more && data.length > 0;
  }
  return found;
}

export const comesWithProgram = (one: LibraryFunction) => one.builtin || one.starter;

/** What a form holds: no field is missing. */
export interface Draft {
  name: string;
  type: "active" | "passive";
  enabled: boolean;
  order: number;
  pattern: string;
  timing: "before_active" | "after_active";
  description: string;
  signature: string;
  example: string;
  executor: string;
}

export function draftOf(one: LibraryFunction): Draft {
  return {
    name: one.name,
    type: one.type,
    enabled: one.enabled,
    order: one.order,
    pattern: one.pattern ?? "",
    timing: one.timing ?? "after_active",
    description: one.description,
    signature: one.signature ?? "",
    example: one.example ?? "",
    executor: one.executor,
  };
}

/** A draft as requests write it. */
export function bodyOf(draft: Draft): Body<"create_function"> {
  const isActive = draft.type === "active";
  return {
    name: draft.name,
    type: draft.type,
    enabled: draft.enabled,
    order: draft.order,
    pattern: isActive && draft.pattern !== "" ? draft.pattern : null,
    timing: isActive ? null : draft.timing,
    description: draft.description,
    signature: draft.signature || null,
    example: draft.example || null,
    executor: draft.executor,
  };
}

/** A function as files and tests write it. */
export function entryOf(one: LibraryFunction): FunctionEntry {
  return { name: one.name, type: one.type, order: one.order, pattern: one.pattern, timing: one.timing, executor: one.executor };
}

/** Something wrong at a place in code: line and column from 1, the column counted in bytes of UTF-8 as the server does. */
export interface CodeProblem {
  message: string;
  line: number;
  column: number;
}

/** The place that a message about code ends with: `… (line 2, column 12)`. */
export function codeProblem(message: string): CodeProblem | null {
  const found = /\(line (\d+), column (\d+)\)$/.exec(message);
  return found ? { message, line: Number(found[1]), column: Number(found[2]) } : null;
}

// The server reads the code and runs nothing of it behind this.
const STOP = "return;";

/** Asks the server whether code can be read at all. */
export async function checkCode(executor: string): Promise<CodeProblem | null> {
  const entry: FunctionEntry = { name: "check", type: "passive", timing: "before_active", executor: STOP + executor };
  const { calls } = await client.functions.test({ functions: [entry], text: "", state: {} });
  const message = calls[0]?.message;
  if (message === undefined) return null;
  const problem = codeProblem(message) ?? { message, line: 1, column: 1 };
  if (problem.line !== 1) return problem;
  const column = Math.max(1, problem.column - STOP.length);
  return { ...problem, column, message: message.replace(/\(line \d+, column \d+\)$/, `(line 1, column ${column})`) };
}
