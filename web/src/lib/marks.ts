// Commands and problems at their places in a text. The server counts bytes of UTF-8; a string counts UTF-16 units.

import type { AppliedCommand, ReplyProblem } from "@tavernkeep/sdk";

export interface Mark {
  start: number;
  end: number;
  kind: "applied" | "repaired" | "refused";
  title: string;
}

export interface Segment {
  text: string;
  mark: Mark | null;
}

/** Cuts a text at its marks. Where marks overlap, the one that starts first is kept. */
export function segments(text: string, commands: readonly AppliedCommand[], problems: readonly ReplyProblem[]): Segment[] {
  const marks: Mark[] = [
    ...commands.map((command) => mark(command.span, command.status, [command.name, command.code, command.message, command.reason])),
    ...problems.map((problem) => mark(problem.span, "refused" as const, [problem.code, problem.message])),
  ];
  return cut(text, marks);
}

/** Cuts a text at marks whose places are bytes of UTF-8. Where they overlap, the one that starts first is kept. */
export function cut(text: string, marks: Mark[]): Segment[] {
  if (marks.length === 0) return [{ text, mark: null }];
  const place = places(text, marks.flatMap((mark) => [mark.start, mark.end]));
  const order = { refused: 0, repaired: 1, applied: 2 };
  marks.sort((left, right) => left.start - right.start || order[left.kind] - order[right.kind] || right.end - left.end);
  const list: Segment[] = [];
  let at = 0;
  for (const mark of marks) {
    const [start, end] = [place.get(mark.start) ?? 0, place.get(mark.end) ?? text.length];
    if (start < at || end <= start) continue;
    if (start > at) list.push({ text: text.slice(at, start), mark: null });
    list.push({ text: text.slice(start, end), mark });
    at = end;
  }
  if (at < text.length) list.push({ text: text.slice(at), mark: null });
  return list;
}

function mark(span: readonly number[], kind: Mark["kind"], parts: (string | undefined | null)[]): Mark {
  return { start: span[0] ?? 0, end: span[1] ?? 0, kind, title: parts.filter(Boolean).join(" · ") };
}

/** The index in a string of each byte position in its UTF-8. */
export function places(text: string, wanted: number[]): Map<number, number> {
  const sorted = [...new Set(wanted)].sort((left, right) => left - right);
  const found = new Map<number, number>();
  let [bytes, units, next] = [0, 0, 0];
  for (const character of text) {
    while (next < sorted.length && (sorted[next] ?? 0) <= bytes) found.set(sorted[next++] ?? 0, units);
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    units += character.length;
  }
  while (next < sorted.length) found.set(sorted[next++] ?? 0, units);
  return found;
}
