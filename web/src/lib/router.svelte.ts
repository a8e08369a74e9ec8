// The address is the state: `#/s/tale?floor=5`. The server never sees what stands behind `#`.

import { unsaved } from "./unsaved.svelte.ts";

export type Params = Record<string, string | number | boolean | null | undefined>;

class Router {
  segments = $state<string[]>([]);
  query = $state(new URLSearchParams());
  private shown = location.hash;

  constructor() {
    this.read();
    window.addEventListener("hashchange", () => this.follow());
  }

  /** Goes where the address says, unless something is not saved: then the address stays, and the person is asked. */
  private follow() {
    if (location.hash === this.shown) return;
    if (unsaved.passes()) {
      this.read();
      return;
    }
    unsaved.wanted = location.hash;
    history.replaceState(null, "", this.shown || "#/");
  }

  private read() {
    this.shown = location.hash;
    unsaved.wanted = null;
    const [path = "", search = ""] = location.hash.replace(/^#/, "").split(/\?(.*)/s);
    this.segments = path.split("/").filter(Boolean).map(decode);
    this.query = new URLSearchParams(search);
  }

  param(name: string): string | null {
    return this.query.get(name);
  }

  /** Changes some parameters of this page; by default without another entry in the browser's history. */
  set(params: Params, push = false) {
    // An address that was just opened counts, though its event has not come yet: a dialog that closes meanwhile must not lead back.
    this.follow();
    const query = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(params)) {
      if (value === null || value === undefined || value === "" || value === false) query.delete(name);
      else query.set(name, String(value));
    }
    const address = `#/${this.segments.map(encodeURIComponent).join("/")}${query.size ? `?${query}` : ""}`;
    if (address === location.hash) return;
    if (push) location.hash = address;
    else {
      history.replaceState(null, "", address);
      this.shown = address;
      this.query = query;
    }
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a page. */
export function href(segments: string[], params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) query.set(name, String(value));
  }
  return `#/${segments.map(encodeURIComponent).join("/")}${query.size ? `?${query}` : ""}`;
}

export function go(segments: string[], params: Params = {}): void {
  location.hash = href(segments, params);
}

export const router = new Router();
