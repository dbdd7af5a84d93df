import { cleanText, prefixOf, XML_HEAD, type XmlElement, type XmlNode } from "./xml.ts";
import { Scope } from "./xml-scope.ts";

/** Writes a tree as the bytes of a part. Characters that XML cannot contain are removed. */
export function serializeXml(root: XmlElement): Uint8Array {
  const writer = new Writer(root.prefix);
  writer.write(root, undefined);
  return writer.finish();
}

/** A sheet is millions of pieces: they become bytes as they come, because all at once they are larger than its tree. */
const PIECES = 16_384;

class Writer {
  readonly #done: Uint8Array[] = [];
  readonly #prefix: string;
  #pieces = [XML_HEAD];

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  write(node: XmlNode, outer: Scope | undefined): void {
    if (typeof node === "string") {
      this.#pieces.push(escapeText(node));
      return;
    }
    const { attributes, children } = node;
    const name = this.#prefix === "" ? node.name : this.#fullName(node.name);
    this.#pieces.push("<", name);
    const scope = node.scope === outer ? outer : this.#declare(node, outer);
    for (const [key, value] of attributes) this.#pieces.push(" ", key, '="', escapeAttribute(value), '"');
    this.#pieces.push(children.length === 0 ? "/>" : ">");
    for (const child of children) this.write(child, scope);
    if (children.length > 0) this.#pieces.push("</", name, ">");
    if (this.#pieces.length > PIECES) this.#flush();
  }

  finish(): Uint8Array {
    this.#flush();
    return Buffer.concat(this.#done);
  }

  /** Declares the prefixes that the element uses and that mean something else at its new place. */
  #declare(node: XmlElement, outer: Scope | undefined): Scope | undefined {
    const { scope } = node;
    if (scope === undefined) return outer;
    const own = new Map<string, string>();
    for (const [key, value] of node.attributes) {
      if (key === "xmlns") own.set("", value);
      else if (key.startsWith("xmlns:")) own.set(key.slice(6), value);
    }
    const names = [...node.attributes].map(([key]) => key).filter((key) => key.includes(":"));
    for (const prefix of new Set([node.name, ...names].map(prefixOf))) {
      if (prefix === "xml" || prefix === "xmlns") continue;
      const uri = scope.get(prefix) ?? (prefix === "" ? "" : undefined);
      if (uri === undefined || own.has(prefix) || (outer?.get(prefix) ?? "") === uri) continue;
      own.set(prefix, uri);
      const key = prefix === "" ? "xmlns" : `xmlns:${prefix}`;
      this.#pieces.push(" ", key, '="', escapeAttribute(uri), '"');
    }
    if (scope.base === outer && scope.ownSize === own.size) return scope;
    return own.size === 0 ? outer : new Scope(outer, own);
  }

  #fullName(name: string): string {
    if (!name.includes(":")) return `${this.#prefix}${name}`;
    return name.startsWith(":") ? name.slice(1) : name;
  }

  #flush(): void {
    this.#done.push(Buffer.from(this.#pieces.join("")));
    this.#pieces = [];
  }
}

function escapeText(text: string): string {
  if (!/[&<>\p{Cc}\uFFFE\uFFFF]/u.test(text)) return text;
  return cleanText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

function escapeAttribute(value: string): string {
  if (!/[&<>"\s\p{Cc}\uFFFE\uFFFF]/u.test(value)) return value;
  return escapeText(value).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}
