/** Lets one work at a time, in the order in which they came. */
export class Turn {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    // What fails is for who asked for it; the next one comes all the same.
    this.#last = turn.catch(() => {});
    return turn;
  }
}
