// What a person types over something that is stored. Reading and saving take time and people type on meanwhile: what they
// typed is never replaced by an answer, and what is saved no longer keeps them on the page.

/** How far a person had typed when reading or saving began. */
interface Moment {
  readonly typings: number;
  readonly isSaved: boolean;
}

export class Draft {
  /** Whether something was typed that is not saved. */
  dirty = $state(false);
  /** Whether it was changed elsewhere since it was read. */
  overtaken = $state(false);
  /** The tag of what was read last. */
  etag = $state<string | null>(null);
  private typings = 0;

  readonly touch = (): void => {
    this.dirty = true;
    this.typings += 1;
  };

  now(): Moment {
    return { typings: this.typings, isSaved: false };
  }

  /** What was typed until then is stored: a person may leave while the page reads it again. */
  saved(until: Moment): Moment {
    if (this.typings === until.typings) this.dirty = false;
    return { typings: until.typings, isSaved: true };
  }

  /** Another thing is shown. */
  reset(): void {
    [this.dirty, this.overtaken] = [false, false];
  }

  /** Takes over what was read, or keeps what was typed since over what is shown: false. */
  takes(etag: string | null, since: Moment, isShown: boolean): boolean {
    const isKept = isShown && this.typings !== since.typings;
    if (isKept && !since.isSaved) {
      this.overtaken = true;
      return false;
    }
    this.etag = etag;
    if (!isKept) this.reset();
    return !isKept;
  }
}
