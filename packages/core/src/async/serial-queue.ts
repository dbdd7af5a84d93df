/** Runs one task at a time, in the order in which they were added. A task that fails does not stop the next one. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as the task does. A task must not wait for another task of the same queue. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when every task added so far has settled. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
