import { cleanText } from "../shared/xml.ts";
import { isElement, type XmlElement, type XmlNode } from "./xml.ts";

/** Writes a tree as the bytes of a part. Characters that XML cannot hold are left out. */
export function serializeXml(root: XmlElement): Uint8Array {
  const writer = new Writer(root.prefix ?? "");
  writer.write(root);
  return writer.finish();
}

/** A sheet is millions of pieces: they become bytes as they come, because all at once they are larger than its tree. */
const PIECES = 16_384;

class Writer {
  readonly #done: Uint8Array[] = [];
  readonly #prefix: string;
  #pieces = ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'];

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  write(node: XmlNode): void {
    if (!isElement(node)) {
      this.#pieces.push(escapeText(node));
      return;
    }
    const { attributes, children } = node;
    const name = this.#prefix === "" ? node.name : this.#fullName(node.name);
    this.#pieces.push("<", name);
    for (const [key, value] of attributes) this.#pieces.push(" ", key, '="', escapeAttribute(value), '"');
    this.#pieces.push(children.length === 0 ? "/>" : ">");
    for (const child of children) this.write(child);
    if (children.length > 0) this.#pieces.push("</", name, ">");
    if (this.#pieces.length > PIECES) this.#flush();
  }

  finish(): Uint8Array {
    this.#flush();
    return Buffer.concat(this.#done);
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
