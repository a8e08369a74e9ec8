// Reading what a page shows. A prop and a parameter of the address have their newest value wherever they are named: after an
// `await` that may be the value of another session. So a page takes its inputs once, before the first request, and an answer is
// dropped if the page is about something else by then.

import { onDestroy, untrack } from "svelte";
import { inTurn } from "./in-turn.ts";
import { showError } from "./toasts.svelte.ts";

/** Answers whether the component that is being set up is still there. */
export function presence(): () => boolean {
  let isHere = true;
  onDestroy(() => (isHere = false));
  return () => isHere;
}

/** Runs what writes an answer into the page. Throws where the answer is outdated, so that nothing more is asked for either. */
type Show = (write: () => void) => void;

/**
 * Reads now and whenever `inputs` change; the result reads again. Called while a component is set up. `inputs` are plain values,
 * and `read` uses only them: with the names of the props they hide those.
 */
export function loader<Inputs>(inputs: () => Inputs, read: (inputs: Inputs, show: Show) => Promise<unknown>, fail: (error: unknown) => void = showError): () => Promise<void> {
  const isHere = presence();
  const key = $derived(JSON.stringify(inputs()));
  const load = inTurn(async () => {
    if (!isHere()) return;
    const [taken, mine] = [inputs(), key];
    const isCurrent = () => isHere() && key === mine;
    try {
      await read(taken, (write) => {
        if (!isCurrent()) throw new Error("the answer is outdated");
        write();
      });
    } catch (error) {
      if (isCurrent()) fail(error);
    }
  });
  $effect(() => {
    void key;
    untrack(() => void load());
  });
  return load;
}
