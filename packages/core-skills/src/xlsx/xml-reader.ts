import { SaxesParser, type SaxesTagPlain } from "saxes";
import { inputError, messageOf } from "../shared/script-error.ts";
import { Attributes } from "./attributes.ts";
import type { XmlElement, XmlNode } from "./xml.ts";

/** How many elements may still be read: each takes one away. */
export interface ElementBudget {
  left: number;
}

/** About 900,000 cells. Changing and writing them needs about 1 GB, the memory limit of a run. */
export const MAX_ELEMENTS = 2_000_000;

/**
 * Reads one XML document. The prefix of the root element, when it has one, is taken off all names; the others keep
 * theirs. Some programs know elements by their prefix alone, so that the writer puts it back.
 *
 * Contract: the caller has bounded the length of the text.
 */
export function parseXml(
  text: string,
  where: string,
  budget: ElementBudget = { left: MAX_ELEMENTS },
): XmlElement {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const builder = new TreeBuilder(budget, (problem) => parser.fail(problem));
  // Office files have no document types; in one, entities could multiply without end.
  parser.on("doctype", () => parser.fail("it has a document type."));
  parser.on("opentag", (tag) => builder.open(tag));
  parser.on("text", (piece) => builder.add(piece));
  parser.on("cdata", (piece) => builder.add(piece));
  parser.on("closetag", () => builder.close());
  try {
    // Without a handler of errors, the first one is thrown.
    parser.write(text).close();
  } catch (error) {
    if (budget.left < 0) throw tooLarge(where);
    throw broken(where, messageOf(error), error);
  }
  if (builder.root === undefined) throw broken(where, "it has no element.");
  return builder.root;
}

const DEPTH = 200;

class TreeBuilder {
  root: XmlElement | undefined;
  readonly #budget: ElementBudget;
  readonly #fail: (problem: string) => void;
  readonly #open: { readonly element: XmlElement; readonly start: number }[] = [];
  /** The finished children of all open elements. One shared list, because spare capacity per element adds up. */
  readonly #nodes: XmlNode[] = [];
  #prefix = "";

  constructor(budget: ElementBudget, fail: (problem: string) => void) {
    this.#budget = budget;
    this.#fail = fail;
  }

  open({ name, attributes }: SaxesTagPlain): void {
    this.#budget.left -= 1;
    if (this.#budget.left < 0) this.#fail("it has too many elements.");
    if (this.#open.length === DEPTH) this.#fail("it is nested too deeply.");
    if (this.root === undefined) this.#prefix = name.slice(0, name.indexOf(":") + 1);
    const inner = { name: this.#localName(name), attributes: Attributes.of(attributes), children: [] };
    const isPrefixed = this.root === undefined && this.#prefix !== "";
    const element: XmlElement = isPrefixed ? { ...inner, prefix: this.#prefix } : inner;
    this.root ??= element;
    this.#open.push({ element, start: this.#nodes.length });
  }

  add(text: string): void {
    if (this.#open.length > 0) this.#nodes.push(text);
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    const { element, start } = closed;
    if (this.#nodes.length > start) element.children = this.#nodes.slice(start);
    this.#nodes.length = start;
    this.#nodes.push(element);
  }

  /** Removes the root's prefix. A name without a prefix then begins with a colon, to stay distinct. */
  #localName(name: string): string {
    if (this.#prefix === "") return name;
    if (name.startsWith(this.#prefix)) return name.slice(this.#prefix.length);
    return name.includes(":") ? name : `:${name}`;
  }
}

function tooLarge(where: string): Error {
  return inputError(
    "FILE_TOO_LARGE",
    `${where} has more cells than are read at once.`,
    "Split the workbook, or export the sheet as CSV in the program that made it.",
  );
}

function broken(where: string, problem: string, cause?: unknown): Error {
  return inputError(
    "BROKEN_FILE",
    `${where} is damaged: ${problem}`,
    "Open it in the program that made it and save it again, or ask for another copy.",
    cause,
  );
}
