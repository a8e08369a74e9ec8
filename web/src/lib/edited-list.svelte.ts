// A list of things that are stored whole, and the one of them that is open: read, followed while others change it, saved, and
// shown beside what someone else did where that person was faster.

import { hasCode, type JsonObject, type ListMeta, responseInfo } from "@tavernkeep/sdk";
import { untrack } from "svelte";
import { Draft } from "./draft.svelte.ts";
import { inTurn } from "./in-turn.ts";
import { wholeList } from "./lists.ts";
import { follow } from "./live.svelte.ts";
import { presence } from "./loader.svelte.ts";
import { go, router } from "./router.svelte.ts";
import { tabTitle } from "./title.svelte.ts";
import { attempt, explain, say } from "./toasts.svelte.ts";
import { sayDeleted } from "./trash.ts";
import { unsaved } from "./unsaved.svelte.ts";

/** What the two kinds of things differ in. */
interface Kind<Row, One> {
  /** The first part of the address. */
  page: string;
  /** How the names of their events begin. */
  events: string;
  list: (window: { limit: number; offset: number; total: boolean }) => Promise<{ data: Row[]; meta: ListMeta }>;
  get: (id: string) => Promise<One>;
  create: (name: string) => Promise<One>;
  update: (id: string, wanted: JsonObject, options: { ifMatch?: string }) => Promise<unknown>;
  delete: (id: string) => Promise<object>;
  /** What the page changes of one, as one document. */
  document: (one: One) => JsonObject;
  /** Puts one into the fields of the page. */
  show: (one: One) => void;
  saved: () => string;
  deleted: () => string;
}

interface Conflict {
  mine: JsonObject;
  theirs: JsonObject;
  etag: string | null;
}

export class EditedList<Row extends { id: string; updated_at: number }, One extends { id: string; name: string; updated_at: number }> {
  rows = $state.raw<Row[]>([]);
  loaded = $state(false);
  one = $state.raw<One | null>(null);
  failed = $state("");
  conflict = $state.raw<Conflict | null>(null);
  readonly draft = new Draft();
  private readonly isHere = presence();
  /** The id in the address. */
  readonly chosen = $derived(router.segments[1] ?? null);
  /** What was read last, as a conflict is compared with it. */
  get base(): JsonObject {
    return this.one === null ? {} : this.kind.document(this.one);
  }

  /** Made while a component is set up: it reads and listens as long as that is there. */
  constructor(private readonly kind: Kind<Row, One>) {
    $effect(() => {
      untrack(() => void this.loadRows());
      return follow(
        (event) => event.type.startsWith(kind.events),
        () => this.overtake(),
      );
    });
    $effect(() => {
      const id = this.chosen;
      untrack(() => {
        // What was open before is not what the buttons are about now.
        if (this.one?.id !== id) {
          [this.one, this.failed, this.conflict] = [null, "", null];
          this.draft.reset();
        }
        if (id !== null) void this.load(id);
      });
    });
    $effect(() => unsaved.guard(() => this.draft.dirty && this.one !== null));
    $effect(() => {
      tabTitle.detail = this.one?.name ?? "";
      return () => (tabTitle.detail = "");
    });
  }

  private readonly loadRows = inTurn(async () => {
    await attempt(async () => {
      this.rows = await wholeList(this.kind.list);
    });
    this.loaded = true;
  });

  private async overtake(): Promise<void> {
    await this.loadRows();
    const { one, chosen } = this;
    if (!one || chosen === null || !this.rows.some((row) => row.id === chosen && row.updated_at !== one.updated_at)) return;
    if (this.draft.dirty) this.draft.overtaken = true;
    else await this.load(chosen);
  }

  private async load(id: string, since = this.draft.now()): Promise<void> {
    this.failed = "";
    try {
      const found = await this.kind.get(id);
      if (id !== this.chosen) return;
      if (!this.draft.takes(responseInfo(found)?.etag ?? null, since, this.one?.id === id)) return;
      this.one = found;
      this.kind.show(found);
    } catch (error) {
      if (id !== this.chosen) return;
      this.one = null;
      this.failed = explain(error).text;
    }
  }

  /** Takes over what is stored in place of what was typed. */
  readonly reload = (): void => {
    this.conflict = null;
    if (this.chosen !== null) void this.load(this.chosen);
  };

  async save(typed: () => Promise<JsonObject>): Promise<void> {
    const [id, etag] = [this.one?.id, this.draft.etag];
    if (id !== undefined) await attempt(async () => this.write(id, await typed(), etag));
  }

  private async write(id: string, wanted: JsonObject, etag: string | null): Promise<void> {
    const until = this.draft.now();
    try {
      await this.kind.update(id, wanted, etag ? { ifMatch: etag } : {});
      const since = this.draft.saved(until);
      say(this.kind.saved());
      await this.load(id, since);
    } catch (error) {
      if (!hasCode(error, "precondition_failed") || !this.isOpen(id)) throw error;
      const now = await this.kind.get(id);
      this.conflict = { mine: wanted, theirs: this.kind.document(now), etag: responseInfo(now)?.etag ?? null };
    }
  }

  private isOpen(id: string): boolean {
    return this.isHere() && id === this.chosen;
  }

  /** Saves what was typed although someone else was faster: all of it, or what was changed here. */
  readonly settle = async (wanted: JsonObject): Promise<void> => {
    const { conflict, one } = this;
    if (!conflict || !one) return;
    this.conflict = null;
    await attempt(() => this.write(one.id, wanted, conflict.etag));
  };

  /** Answers whether it worked, as `delete` does. */
  create(name: string): Promise<boolean> {
    return attempt(async () => {
      const { id } = await this.kind.create(name);
      if (this.isHere()) go([this.kind.page, id]);
    });
  }

  async delete(): Promise<boolean> {
    const id = this.one?.id;
    if (id === undefined) return false;
    return attempt(async () => {
      sayDeleted(this.kind.deleted(), await this.kind.delete(id));
      if (!this.isOpen(id)) return;
      this.draft.reset();
      go([this.kind.page]);
    });
  }
}
