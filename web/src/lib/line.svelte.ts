// One line of a session: its floors in parts of twenty, read when they come into view.

import type { Branch, LoggedFloor, Session, TranscriptFloor } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";
import { wholeList } from "./lists.ts";

export const PART = 20;

/** A floor with what it changed. */
export interface FloorRow extends TranscriptFloor {
  log: LoggedFloor | null;
}

export class Line {
  info = $state.raw<Session | null>(null);
  branches = $state.raw<Branch[]>([]);
  /** The position of the last floor; -1 on an empty line, null before it is known. */
  last = $state<number | null>(null);
  parts = $state.raw<ReadonlyMap<number, FloorRow[]>>(new Map());
  /** Parts that could not be read, with the error. */
  failed = $state.raw<ReadonlyMap<number, unknown>>(new Map());
  private readonly reading = new Map<number, { control: AbortController; done: Promise<void> }>();

  constructor(
    readonly session: string,
    readonly branch: string,
  ) {}

  get count(): number {
    return this.last === null ? 0 : Math.ceil((this.last + 1) / PART);
  }

  /** Reads session, branches and the end of the line. */
  async open(): Promise<void> {
    const branch_id = this.branch;
    const [info, branches, end] = await Promise.all([
      client.sessions.get(this.session),
      wholeList((window) => client.branches.list(this.session, window)),
      client.sessions.getTranscript(this.session, { branch_id, last: 1, content: false }),
    ]);
    this.info = info;
    this.branches = branches;
    this.last = end.data.at(-1)?.floor_no ?? -1;
  }

  /** Reads a part unless it is there; waits for one that is on its way. */
  async need(part: number): Promise<void> {
    if (part < 0 || part >= this.count || this.parts.has(part) || this.failed.has(part)) return;
    await (this.reading.get(part)?.done ?? this.read(part));
  }

  /** Reads a part again that could not be read. */
  async retry(part: number): Promise<void> {
    this.fail(part, null);
    await this.need(part);
  }

  private fail(part: number, error: unknown): void {
    if (error === null && !this.failed.has(part)) return;
    const failed = new Map(this.failed);
    if (error === null) failed.delete(part);
    else failed.set(part, error);
    this.failed = failed;
  }

  private read(part: number): Promise<void> {
    this.reading.get(part)?.control.abort();
    const control = new AbortController();
    const done = this.fetch(part, control).finally(() => {
      if (this.reading.get(part)?.control === control) this.reading.delete(part);
    });
    this.reading.set(part, { control, done });
    return done;
  }

  private async fetch(part: number, control: AbortController): Promise<void> {
    const [from, to] = [part * PART, part * PART + PART - 1];
    try {
      const options = { signal: control.signal };
      const [transcript, log] = await Promise.all([
        client.sessions.getTranscript(this.session, { branch_id: this.branch, from, limit: PART }, options),
        client.sessions.getLog(this.session, { branch_id: this.branch, from_floor: from, to_floor: to, limit: PART }, options),
      ]);
      const logged = new Map(log.floors.map((floor) => [floor.floor_id, floor]));
      const rows = transcript.data.filter((floor) => floor.floor_no <= to).map((floor) => ({ ...floor, log: logged.get(floor.floor_id) ?? null }));
      this.parts = new Map(this.parts).set(part, rows);
      this.fail(part, null);
    } catch (error) {
      if (!control.signal.aborted) this.fail(part, error);
    }
  }

  /** Reads again what is in view and forgets the rest. */
  async refresh(visible: Iterable<number>): Promise<void> {
    const keep = new Set(visible);
    await this.open();
    this.parts = new Map([...this.parts].filter(([part]) => keep.has(part) && part < this.count));
    await Promise.all([...keep].filter((part) => part < this.count).map((part) => this.read(part)));
  }
}
