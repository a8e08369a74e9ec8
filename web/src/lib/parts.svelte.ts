// A list that is read part by part: "more" reads one part further, and a change elsewhere reads again what is shown.

import type { ListMeta } from "@tavernkeep/sdk";
import { presence } from "./loader.svelte.ts";
import { attempt } from "./toasts.svelte.ts";

interface Window {
  limit: number;
  offset: number;
}

export class Parts<T> {
  rows = $state.raw<T[]>([]);
  total = $state(0);
  more = $state(false);
  loaded = $state(false);
  private count = 1;
  private asked = 0;
  private readonly isHere = presence();

  /** Made while a component is set up. */
  constructor(
    private readonly size: number,
    private readonly read: (window: Window) => Promise<{ data: T[]; meta: ListMeta }>,
  ) {}

  /** Another question: only its first part is read. */
  readonly restart = (): Promise<void> => {
    this.count = 1;
    return this.load();
  };

  readonly further = (): Promise<void> => {
    this.count += 1;
    return this.load();
  };

  readonly load = async (): Promise<void> => {
    const mine = (this.asked += 1);
    // A later question may have been answered first.
    const isCurrent = () => mine === this.asked && this.isHere();
    await attempt(async () => {
      const rows: T[] = [];
      let [total, more] = [0, true];
      for (let part = 0; part < this.count && more && isCurrent(); part += 1) {
        const { data, meta } = await this.read({ limit: this.size, offset: part * this.size });
        rows.push(...data);
        [total, more] = [meta.total ?? rows.length, meta.has_more];
      }
      if (isCurrent()) [this.rows, this.total, this.more] = [rows, total, more];
    }, isCurrent);
    if (isCurrent()) this.loaded = true;
  };
}
