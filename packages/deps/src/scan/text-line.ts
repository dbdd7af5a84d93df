/** On which line of a text a name first stands, for files that are read as data. */
export class TextLines {
  readonly #text: string;
  #lines: ReadonlyMap<string, number> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** From 1; 1 too when the name is nowhere. */
  lineOf(name: string): number {
    this.#lines ??= index(this.#text);
    return this.#lines.get(name) ?? 1;
  }
}

function index(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const [number, line] of text.split(/\r\n|\r|\n/).entries()) {
    for (const [word] of line.matchAll(/[A-Za-z0-9@/._+-]+/g)) {
      // `@scope/name@1.2` is there as `@scope/name` too.
      for (const each of [word, word.replace(/(?!^)@.*$/, "")])
        if (!lines.has(each)) lines.set(each, number + 1);
    }
  }
  return lines;
}
