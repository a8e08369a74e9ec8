/**
 * Runs `work` once at a time: a call that comes meanwhile runs it once more afterwards. So an older answer never takes the place
 * of a newer one, however slow the network is.
 */
export function inTurn(work: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;
  const run = async () => {
    try {
      do {
        again = false;
        await work();
      } while (again);
    } finally {
      // Here, so that no call comes between the last run and this: it would wait for nothing.
      running = null;
    }
  };
  return () => {
    again = running !== null;
    running ??= run();
    return running;
  };
}
