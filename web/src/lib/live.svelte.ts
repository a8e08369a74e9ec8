// What happens on the server, for the whole page. Views subscribe and read again what changed.

import { AuthError, type StreamEvent } from "@tavernkeep/sdk";
import { access, baseUrl, client } from "./api.svelte.ts";
import { sharedStream } from "./shared-stream.ts";

type Handler = (event: StreamEvent) => void;

// Views begin once the stream is open, so that nothing falls between what they read and what they hear. A stream that takes
// longer does not keep them waiting: when it opens at last, they read again.
const PATIENCE_MS = 300;

class Live {
  connected = $state(false);
  /** Whether views may begin to read. */
  begun = $state(false);
  private readonly handlers = new Set<Handler>();
  private control: AbortController | null = null;

  on(handler: Handler): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  start(): void {
    if (this.control) return;
    const control = new AbortController();
    this.control = control;
    setTimeout(() => (this.begun = true), PATIENCE_MS);
    void this.run(control.signal);
  }

  stop(): void {
    this.control?.abort();
    this.control = null;
  }

  private async run(signal: AbortSignal): Promise<void> {
    let opened = false;
    try {
      await sharedStream(client, {
        name: `tavernkeep ${baseUrl} ${access.account?.account_id ?? ""}`,
        signal,
        onconnection: (open) => (this.connected = open),
        onevent: (event) => {
          // The first event is `ready`.
          const late = !opened && this.begun;
          opened = true;
          this.begun = true;
          for (const handler of this.handlers) handler(late ? { ...event, type: "purged" } : event);
        },
      });
    } catch (error) {
      this.control = null;
      this.begun = true;
      if (error instanceof AuthError) await access.check();
    }
  }
}

export const live = new Live();

/** Calls `reload` soon after events that `concerns` picks, many events in one call; also when events were missed. */
export function follow(concerns: (event: StreamEvent) => boolean, reload: () => unknown): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = live.on((event) => {
    if (event.type !== "purged" && !concerns(event)) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      reload();
    }, 120);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** The session an event belongs to. */
export function sessionOf(event: StreamEvent): string | undefined {
  return (event.data as { session_id?: string }).session_id;
}
