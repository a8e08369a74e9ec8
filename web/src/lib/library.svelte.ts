// One library of functions, of the account or of a character: what it holds and what is done with it.

import { type Body, type FunctionFile, type LibraryFunction, parseJson } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";
import { bodyOf, comesWithProgram, draftOf, type Library, readLibrary, scopeOf, targetOf } from "./functions.ts";
import { attempt, explain } from "./toasts.svelte.ts";

export class FunctionLibrary {
  functions = $state.raw<LibraryFunction[]>([]);
  /** The account's, beside a character's. */
  account = $state.raw<LibraryFunction[]>([]);
  loaded = $state(false);
  failed = $state("");
  // Orders are sent one after the other, the newest last; what is read meanwhile would show an older one.
  private sorting = false;
  private newest: string[] | null = null;

  constructor(readonly character: Library) {}

  /** What authors wrote. */
  get own(): LibraryFunction[] {
    return this.functions.filter((one) => !comesWithProgram(one));
  }

  /** What counts here from the account: a function of the character takes the place of one with its type and name. */
  get fromAccount(): LibraryFunction[] {
    const replaced = (one: LibraryFunction) => this.functions.some((other) => other.enabled && !other.builtin && other.type === one.type && other.name === one.name);
    return this.account.filter((one) => one.enabled && !one.builtin && !replaced(one));
  }

  /** What runs in turns beside the built-in functions. */
  get counting(): LibraryFunction[] {
    return [...this.functions.filter((one) => one.enabled && !one.builtin), ...this.fromAccount];
  }

  async load(): Promise<void> {
    if (this.sorting) return;
    try {
      const [functions, account] = await Promise.all([readLibrary(this.character), this.character === null ? [] : readLibrary(null)]);
      if (this.sorting) return;
      [this.functions, this.account, this.loaded, this.failed] = [functions, account, true, ""];
    } catch (error) {
      this.failed = explain(error).text;
    }
  }

  async turn(one: LibraryFunction, enabled: boolean): Promise<void> {
    this.functions = this.functions.map((other) => (other.id === one.id ? { ...other, enabled } : other));
    await attempt(() => client.functions.update(one.id, { enabled }, scopeOf(this.character)));
    await this.load();
  }

  /** Shows another order at once and sends it. */
  async reorder(ids: string[]): Promise<void> {
    const place = new Map(ids.map((id, index) => [id, index]));
    const sorted = this.own.toSorted((left, right) => (place.get(left.id) ?? 0) - (place.get(right.id) ?? 0));
    this.functions = [...this.functions.filter(comesWithProgram), ...sorted.map((one, index) => ({ ...one, order: index + 1 }))];
    this.newest = ids;
    if (this.sorting) return;
    this.sorting = true;
    while (this.newest) {
      const next: string[] = this.newest;
      this.newest = null;
      await attempt(() => client.functions.reorder({ ids: next }, scopeOf(this.character)));
    }
    this.sorting = false;
    await this.load();
  }

  /** Deletes a function and answers with the way back. */
  async remove(one: LibraryFunction): Promise<() => Promise<void>> {
    await client.functions.delete(one.id);
    await this.load();
    return async () => {
      await client.functions.create({ id: one.id, ...bodyOf(draftOf(one)) }, scopeOf(this.character));
      await this.load();
    };
  }

  async copy(one: LibraryFunction, to: Library): Promise<LibraryFunction> {
    const made = await client.functions.copy(one.id, targetOf(to));
    await this.load();
    return made;
  }

  /** Moves a function to another library and answers with the way back. */
  async move(one: LibraryFunction, to: Library): Promise<() => Promise<void>> {
    await client.functions.move(one.id, targetOf(to));
    await this.load();
    return async () => {
      await client.functions.move(one.id, targetOf(this.character));
      await this.load();
    };
  }

  /** A file with some functions, in the order of the library. */
  exportFile(ids: ReadonlySet<string>): Promise<FunctionFile> {
    return client.functions.export({ ids: this.functions.filter(({ id }) => ids.has(id)).map(({ id }) => id) }, scopeOf(this.character));
  }

  /** Imports a file, whole or not at all. */
  async importFile(text: string): Promise<LibraryFunction[]> {
    const made = await client.functions.import(parseJson(text) as Body<"import_functions">, scopeOf(this.character));
    await this.load();
    return made;
  }
}
