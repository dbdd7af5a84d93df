/** The namespaces by prefix at one place of a document. Elements that declare none share the scope of their parent. */
export class Scope {
  /** The scope that this one extends. */
  readonly base: Scope | undefined;
  readonly ownSize: number;
  readonly #bindings: ReadonlyMap<string, string>;
  #isStrict: boolean | undefined;

  constructor(base: Scope | undefined, own: Iterable<readonly [string, string]>) {
    this.base = base;
    const added = [...own];
    this.ownSize = added.length;
    this.#bindings = new Map([...(base === undefined ? [] : base.#bindings), ...added]);
  }

  get(prefix: string): string | undefined {
    return this.#bindings.get(prefix);
  }

  /** A prefix for a namespace, rather one with a name: attributes have no default namespace. */
  prefixFor(uri: string, isAttribute: boolean): string | undefined {
    let found: string | undefined;
    for (const [prefix, bound] of this.#bindings) {
      if (bound !== uri || (isAttribute && prefix === "")) continue;
      found = found === undefined || found === "" ? prefix : found;
    }
    return found;
  }

  /** A document that was saved as "Strict Open XML" has other namespaces. */
  get isStrict(): boolean {
    this.#isStrict ??= [...this.#bindings.values()].some((uri) => uri.startsWith(STRICT));
    return this.#isStrict;
  }
}

const STRICT = "http://purl.oclc.org/ooxml/";

export function scopeWith(
  base: Scope | undefined,
  own: readonly (readonly [string, string])[],
): Scope | undefined {
  return own.length === 0 ? base : new Scope(base, own);
}
