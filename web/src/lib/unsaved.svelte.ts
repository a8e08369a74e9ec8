// What was typed and is not saved: nobody leaves it without being asked.

class Unsaved {
  /** The address a person wants to go to while something is not saved. */
  wanted = $state<string | null>(null);
  private readonly holders = new Set<() => boolean>();
  private leaving = false;

  constructor() {
    window.addEventListener("beforeunload", (event) => {
      if (this.isThere()) event.preventDefault();
    });
  }

  /** A view asks before it is left while `isDirty`; the answer takes the question back. */
  guard(isDirty: () => boolean): () => void {
    this.holders.add(isDirty);
    return () => this.holders.delete(isDirty);
  }

  isThere(): boolean {
    return [...this.holders].some((isDirty) => isDirty());
  }

  /** Goes where a person wanted to go, without what is not saved. */
  leave(): void {
    const wanted = this.wanted;
    this.wanted = null;
    this.leaving = wanted !== null;
    if (wanted !== null) location.hash = wanted;
  }

  /** Whether the address may change now. */
  passes(): boolean {
    const leaving = this.leaving;
    this.leaving = false;
    return leaving || !this.isThere();
  }
}

export const unsaved = new Unsaved();
