/** Lets one piece of work run at a time, in the order in which they came. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  async run<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const previous = this.#last;
    this.#last = promise;
    await previous;
    try {
      return await work();
    } finally {
      resolve();
    }
  }
}
