import {
  indentOf,
  isBlank,
  isItem,
  isKnownField,
  type KeyLine,
  readKeyLine,
  readNestedKeyLine,
} from "./line.ts";

/** One field or list item of a block, with all its lines. */
export interface BlockEntry {
  /** The index of its first line in the block. */
  readonly line: number;
  /** Its lines, shifted to the first column. */
  readonly lines: readonly string[];
  readonly keyLine: KeyLine | undefined;
  readonly kind: "field" | "item" | "stray";
  /** True when its lines were indented more than those of its siblings. */
  readonly isMoved: boolean;
}

/**
 * Cuts a block into entries. Blank lines and comments between entries belong to neither. Linear in the number of
 * characters: lookahead is either consumed or not repeated.
 */
export function cutEntries(lines: readonly string[], level: "top" | "nested"): readonly BlockEntry[] {
  const cutter = new Cutter(lines, level);
  return cutter.cut();
}

interface Draft {
  readonly line: number;
  readonly keyLine: KeyLine | undefined;
  readonly kind: BlockEntry["kind"];
  readonly isMoved: boolean;
  readonly lines: string[];
}

class Cutter {
  readonly #lines: readonly string[];
  readonly #level: "top" | "nested";
  /** The keys at the first column. */
  readonly #placed: ReadonlySet<string>;
  readonly #entries: BlockEntry[] = [];
  #draft: Draft | undefined;
  /** Blank lines and comments that belong to the entry only if more lines of it follow. */
  #pending: string[] = [];
  #shift = 0;
  /** Quotes that open before this line are not closed by a later line. */
  #unclosedUntil = 0;

  constructor(lines: readonly string[], level: "top" | "nested") {
    this.#lines = lines;
    this.#level = level;
    this.#placed = new Set(lines.flatMap((line) => this.#readKey(line)?.key ?? []));
  }

  cut(): readonly BlockEntry[] {
    for (let at = 0; at < this.#lines.length; ) {
      const line = this.#shifted(this.#lines[at] ?? "");
      if (isBlank(line) || line.startsWith("#")) {
        this.#pending.push(line);
        at += 1;
        continue;
      }
      const end = this.#start(line, at);
      for (at += 1; at < end; at += 1) this.#take(this.#lines[at] ?? "");
    }
    this.#finish(this.#lines.length);
    return this.#entries;
  }

  /** Starts an entry at a line, or adds the line to the entry above. Returns the first line after its certain end. */
  #start(line: string, at: number): number {
    const inner = this.#isMisplacedKey(line) ? indentOf(line) : 0;
    this.#shift += inner;
    const text = line.slice(inner);
    const keyLine = this.#readKey(text);
    if (keyLine !== undefined) {
      this.#open({ line: at, keyLine, kind: "field", isMoved: this.#shift > 0, lines: [text] });
      return Math.max(this.#endOfFlow(keyLine, at), this.#endOfQuote(keyLine, at));
    }
    if (isItem(text) && this.#draft?.kind !== "field" && this.#draft?.kind !== "stray") {
      this.#open({ line: at, keyLine: undefined, kind: "item", isMoved: this.#shift > 0, lines: [text] });
    } else if (this.#draft === undefined) {
      this.#open({ line: at, keyLine: undefined, kind: "stray", isMoved: false, lines: [text] });
    } else {
      this.#extend(line);
    }
    return at + 1;
  }

  #shifted(line: string): string {
    if (this.#shift === 0 || isBlank(line)) return line;
    if (indentOf(line) < this.#shift) this.#shift = 0;
    return line.slice(this.#shift);
  }

  #readKey(line: string): KeyLine | undefined {
    return this.#level === "top" ? readKeyLine(line) : readNestedKeyLine(line);
  }

  /**
   * An indented field below a field with a value can only be a sibling. If its key also exists at the first column,
   * the line is text.
   */
  #isMisplacedKey(line: string): boolean {
    if (!/^[ \t]/.test(line)) return false;
    if (this.#draft === undefined) return this.#level === "top" && readKeyLine(line.trim()) !== undefined;
    const head = this.#draft.keyLine?.head ?? "";
    if (head === "" || /^[|>"'[{]/.test(head)) return false;
    const keyLine = readKeyLine(line.trim());
    if (keyLine === undefined || keyLine.isOdd || this.#placed.has(keyLine.key)) return false;
    return this.#level === "top" ? isKnownField(keyLine.key) : /^[a-z]/.test(keyLine.key);
  }

  /** A bracketed value continues until its closing bracket or until a line that can only be a field. */
  #endOfFlow(keyLine: KeyLine, at: number): number {
    let first = at;
    if (keyLine.head === "") {
      first += 1;
      while (first < this.#lines.length && isBlank(this.#lines[first] ?? "")) first += 1;
    }
    const opening = keyLine.head === "" ? (this.#lines[first] ?? "") : keyLine.head;
    if (!/^[[{]/.test(opening)) return at + 1;
    let depth = bracketDepth(opening);
    let end = first + 1;
    while (depth > 0 && end < this.#lines.length) {
      const line = this.#lines[end] ?? "";
      if (readKeyLine(line)?.rawKey.startsWith('"') === false) break;
      depth += bracketDepth(line);
      end += 1;
    }
    return end;
  }

  /** A quote that a later line closes contains all lines up to there, including labels like `Note: …`. */
  #endOfQuote(keyLine: KeyLine, at: number): number {
    const quote = keyLine.head[0];
    const opens = (quote === '"' || quote === "'") && !keyLine.head.slice(1).includes(quote);
    if (!opens || at < this.#unclosedUntil) return at + 1;
    for (let end = at + 1; end < this.#lines.length; end += 1) {
      const line = this.#lines[end] ?? "";
      const inner = readKeyLine(line);
      if (inner !== undefined && (/^[a-z"']/.test(inner.rawKey) || inner.head.startsWith(quote))) {
        this.#unclosedUntil = end;
        return at + 1;
      }
      if (line.trimEnd().endsWith(quote)) return end + 1;
    }
    this.#unclosedUntil = this.#lines.length;
    return at + 1;
  }

  #take(line: string): void {
    if (isBlank(line)) this.#pending.push(line);
    else this.#extend(line);
  }

  #extend(line: string): void {
    for (const each of this.#pending) this.#draft?.lines.push(each);
    this.#draft?.lines.push(line);
    this.#pending = [];
  }

  #open(draft: Draft): void {
    this.#finish(draft.line);
    this.#draft = draft;
  }

  /** Ends the entry before a line. Pending blank lines with tabs become entries, because YAML rejects them. */
  #finish(end: number): void {
    if (this.#draft !== undefined) this.#entries.push(this.#draft);
    const start = end - this.#pending.length;
    for (const [index, line] of this.#pending.entries()) {
      if (!line.includes("\t") || !isBlank(line)) continue;
      this.#entries.push({
        line: start + index,
        lines: [line],
        keyLine: undefined,
        kind: "stray",
        isMoved: false,
      });
    }
    this.#pending = [];
  }
}

/** The number of brackets that a line opens minus those it closes, ignoring double-quoted text. */
function bracketDepth(line: string): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at];
    if (isQuoted && char === "\\") at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
  }
  return depth;
}
