// Short messages that appear at the edge, and the log that keeps them.

import { ApiError, ConnectionError } from "@tavernkeep/sdk";
import { t, withMeaning } from "./i18n.svelte.ts";

export interface Toast {
  id: number;
  kind: "info" | "error";
  text: string;
  /** The server's code. */
  code?: string | undefined;
  at: number;
  action?: { label: string; run: () => void } | undefined;
}

// A message that could not go away is looked at again after this time.
const AGAIN_MS = 1_000;

class Toasts {
  shown = $state<Toast[]>([]);
  log = $state<Toast[]>([]);
  private next = 1;
  /** Whether the focus is in the messages. A pointer that rests where one appeared means nothing. */
  isHeld = (): boolean => false;

  add(toast: Omit<Toast, "id" | "at">): void {
    const whole = { ...toast, id: this.next++, at: Date.now() };
    // The same words again take the place of the first: more of them would only cover more.
    this.shown = [...this.shown.filter(({ text, action }) => text !== toast.text || action || toast.action), whole].slice(-4);
    this.log = [whole, ...this.log].slice(0, 100);
    setTimeout(() => this.expire(whole.id), toast.kind === "error" || toast.action ? 12_000 : 5_000);
  }

  /** A message does not go away under a person's hands. */
  private expire(id: number): void {
    if (this.isHeld()) setTimeout(() => this.expire(id), AGAIN_MS);
    else this.drop(id);
  }

  drop(id: number): void {
    this.shown = this.shown.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();

export function say(text: string, action?: Toast["action"]): void {
  toasts.add({ kind: "info", text, action });
}

/** What an error says to a person, with the server's code. */
export function explain(error: unknown): { text: string; code?: string } {
  if (error instanceof ApiError) {
    const details = Array.isArray(error.details) ? (error.details as { path?: string; message?: string }[]) : [];
    const more = details.map((detail) => [detail.path, detail.message].filter(Boolean).join(": ")).filter(Boolean).join("; ");
    const message = more && !error.message.includes(more) ? `${error.message} (${more})` : error.message;
    return { text: withMeaning(error.code, message), code: error.code };
  }
  if (error instanceof ConnectionError) return { text: t("error.connection") };
  return { text: error instanceof Error ? error.message : String(error) };
}

export function showError(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  toasts.add({ kind: "error", ...explain(error) });
}

/** Runs something and shows what went wrong, unless it `concerns` nobody any more. Answers whether it worked. */
export async function attempt(work: () => Promise<unknown>, concerns = () => true): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (concerns()) showError(error);
    return false;
  }
}
