import {
  attributeOf,
  childOf,
  childrenOf,
  createElement,
  descendantsOf,
  hasTag,
  insertAfter,
  setAttributeOf,
} from "../shared/office-xml.ts";
import type { Chooser } from "../shared/text-replace.ts";
import { cleanText, type XmlElement } from "../shared/xml.ts";
import { directText, isolateRuns } from "./run-split.ts";

export interface Reviewer {
  readonly author: string;
  /** ISO time; without it Word shows no date. */
  readonly date: string | undefined;
}

/** Replaces matches as tracked changes: the old text as a deletion, the new text as an insertion in its style. */
export class ChangeTracker {
  readonly #reviewer: Reviewer;
  #nextId: number;

  constructor(roots: readonly XmlElement[], reviewer: Reviewer) {
    this.#reviewer = reviewer;
    this.#nextId = 1 + Math.max(0, ...roots.flatMap(revisionIds));
  }

  /** Returns how many matches were replaced. A match with a tab, a break or a picture in it stays. */
  replace(paragraph: XmlElement, pattern: RegExp, choose: Chooser): number {
    const matches = [...directText(paragraph).matchAll(pattern)].filter(({ 0: match }) => match !== "");
    let count = 0;
    // From the end, so that earlier places stay right.
    for (const { 0: match, index } of matches.toReversed()) {
      const text = choose(match);
      const runs = text === undefined ? undefined : isolateRuns(paragraph, index, index + match.length);
      if (text === undefined || runs === undefined) continue;
      this.#change(runs, text);
      count += 1;
    }
    return count;
  }

  #change(runs: readonly XmlElement[], text: string): void {
    const [first] = runs;
    const last = runs.at(-1);
    if (first === undefined || last === undefined) return;
    const insertion = text === "" ? undefined : this.#insertion(first, text);
    for (const run of runs) this.#delete(run);
    // The deletion took the place of the run.
    const after = last.parentNode;
    if (insertion !== undefined && after !== null) insertAfter(insertion, after);
  }

  #insertion(like: XmlElement, text: string): XmlElement {
    const element = this.#revision(like, "w:ins");
    const run = element.appendChild(createElement(like, "w:r"));
    const properties = childOf(like, "w:rPr");
    if (properties !== undefined) run.appendChild(properties.cloneNode(true));
    for (const [index, line] of cleanText(text).split("\n").entries()) {
      if (index > 0) run.appendChild(createElement(like, "w:br"));
      const holder = run.appendChild(createElement(like, "w:t"));
      holder.textContent = line;
      holder.setAttribute("xml:space", "preserve");
    }
    return element;
  }

  #delete(run: XmlElement): void {
    const element = this.#revision(run, "w:del");
    run.parentNode?.insertBefore(element, run);
    element.appendChild(run);
    for (const text of childrenOf(run).filter((child) => hasTag(child, "w:t"))) {
      const deleted = createElement(run, "w:delText");
      deleted.textContent = text.textContent;
      deleted.setAttribute("xml:space", "preserve");
      run.insertBefore(deleted, text);
      run.removeChild(text);
    }
  }

  #revision(near: XmlElement, tag: "w:ins" | "w:del"): XmlElement {
    const element = createElement(near, tag);
    setAttributeOf(element, "w:id", String(this.#nextId++));
    setAttributeOf(element, "w:author", this.#reviewer.author);
    if (this.#reviewer.date !== undefined) setAttributeOf(element, "w:date", this.#reviewer.date);
    return element;
  }
}

function revisionIds(root: XmlElement): readonly number[] {
  const tags = ["w:ins", "w:del", "w:moveFrom", "w:moveTo", "w:rPrChange", "w:pPrChange"] as const;
  return tags.flatMap((tag) =>
    descendantsOf(root, tag).map((each) => Number(attributeOf(each, "w:id")) || 0),
  );
}
