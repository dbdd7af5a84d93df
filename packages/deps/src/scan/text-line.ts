/** Finds the first line that contains a name, for files that are parsed as data. */
export class TextLines {
  readonly #text: string;
  #lines: ReadonlyMap<string, number> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Starts at 1, and is 1 when the name does not occur. */
  lineOf(name: string): number {
    this.#lines ??= index(this.#text);
    return this.#lines.get(name) ?? 1;
  }
}

function index(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const [number, line] of text.split(/\r\n|\r|\n/).entries()) {
    for (const [word] of line.matchAll(/[A-Za-z0-9@/._+-]+/g)) {
      // Index `@scope/name@1.2` also as `@scope/name`.
      for (const each of [word, word.replace(/(?!^)@.*$/, "")])
        if (!lines.has(each)) lines.set(each, number + 1);
    }
  }
  return lines;
}
