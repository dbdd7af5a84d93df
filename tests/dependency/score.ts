/** Compares found and expected imports over many files. */
export class Score {
  #right = 0;
  #wrong = 0;
  #lost = 0;
  readonly #examples: string[] = [];

  add(file: string, found: ReadonlySet<string>, truth: ReadonlySet<string>): void {
    for (const each of found) {
      if (truth.has(each)) this.#right += 1;
      else this.#count("wrong", file, each);
    }
    for (const each of truth) if (!found.has(each)) this.#count("lost", file, each);
  }

  get precision(): number {
    return this.#right / (this.#right + this.#wrong);
  }

  get recall(): number {
    return this.#right / (this.#right + this.#lost);
  }

  /** The number of correct results. */
  get right(): number {
    return this.#right;
  }

  /** Some of the mistakes, for debugging. */
  toString(): string {
    return [`right ${this.#right}, wrong ${this.#wrong}, lost ${this.#lost}`, ...this.#examples].join("\n");
  }

  #count(kind: "wrong" | "lost", file: string, what: string): void {
    if (kind === "wrong") this.#wrong += 1;
    else this.#lost += 1;
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push(`${kind}: ${file} ${what}`);
  }
}

const MAX_EXAMPLES = 20;
