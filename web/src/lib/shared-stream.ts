// One event stream for all tabs of a browser. Browsers open few connections to a server (six over HTTP/1.1), and a stream holds
// one for good: with a stream in each tab the seventh tab would wait for ever. So one tab listens and passes on what it hears; when it
// is closed, the next one goes on where it was.

import type { EventOptions, StreamEvent, TavernkeepClient } from "@tavernkeep/sdk";

interface Options {
  /** Tabs with the same name share a stream. */
  name: string;
  signal: AbortSignal;
  onevent: (event: StreamEvent) => void;
  onconnection: (open: boolean) => void;
}

/** What tabs say to each other: a question of a new one, and what the one that listens hears. */
type Message = { kind: "hello" } | { kind: "connection"; open: boolean; position: string | undefined } | { kind: "event"; event: StreamEvent };

// A tab that sleeps may keep the lock and pass nothing on. One that comes to the front asks, and takes over after this silence.
const SILENCE_MS = 1_000;

/** Listens until the signal aborts. Fails like a stream of its own where the server refuses it. */
export async function sharedStream(client: TavernkeepClient, { name, signal, onevent, onconnection }: Options): Promise<void> {
  let position: string | undefined;
  const hear = (event: StreamEvent) => {
    if (event.id !== "") position = event.id;
    onevent(event);
  };
  const listen = async (until: AbortSignal, say: (message: Message) => void) => {
    const options: EventOptions = {
      signal: until,
      onConnection: (open) => {
        onconnection(open);
        say({ kind: "connection", open, position });
      },
      ...(position !== undefined && { lastEventId: position }),
    };
    for await (const event of client.events({}, options)) {
      hear(event);
      say({ kind: "event", event });
    }
  };

  // Only pages of a secure origin have locks; others have a stream each.
  if (!navigator.locks || typeof BroadcastChannel === "undefined") return listen(signal, () => {});
  const channel = new BroadcastChannel(name);
  let [isListening, open, steal] = [false, false, false];
  let silence: ReturnType<typeof setTimeout> | undefined;
  let turn = new AbortController();
  const say = (message: Message) => {
    if (message.kind === "connection") open = message.open;
    channel.postMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "hello") {
      if (isListening) say({ kind: "connection", open, position });
      return;
    }
    clearTimeout(silence);
    if (isListening) return;
    if (data.kind === "event") {
      hear(data.event);
      return;
    }
    onconnection(data.open);
    // What the listening tab has heard before this one began is no news here, and nothing falls between.
    const began = position === undefined && data.open;
    position ??= data.position;
    if (began && position !== undefined) onevent({ id: position, type: "ready", data: {} });
  };
  const ask = () => {
    if (isListening || document.visibilityState === "hidden") return;
    channel.postMessage({ kind: "hello" } satisfies Message);
    clearTimeout(silence);
    silence = setTimeout(() => {
      steal = true;
      turn.abort();
    }, SILENCE_MS);
  };
  const end = () => turn.abort();
  document.addEventListener("visibilitychange", ask);
  signal.addEventListener("abort", end);
  ask();
  try {
    while (!signal.aborted) {
      turn = new AbortController();
      const now = turn;
      try {
        await navigator.locks.request(name, steal ? { steal } : { signal: now.signal }, async () => {
          isListening = true;
          clearTimeout(silence);
          await listen(now.signal, say);
        });
        // The server ended the stream for good.
        return;
      } catch (error) {
        const isMine = error instanceof DOMException && error.name === "AbortError";
        if (!isMine) throw error;
      } finally {
        now.abort();
        [isListening, steal] = [false, steal && !isListening];
      }
    }
  } finally {
    clearTimeout(silence);
    document.removeEventListener("visibilitychange", ask);
    signal.removeEventListener("abort", end);
    channel.close();
    onconnection(false);
  }
}
