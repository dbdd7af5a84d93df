import { type Copied, copyPart } from "../shared/copy-part.ts";
import { childOf, childrenOf, createElement, setAttributeOf, typeOfKind } from "../shared/office-xml.ts";
import { FIRST_ID } from "./blank-master.ts";
import type { Deck } from "./deck.ts";
import { listSlide } from "./slide-list.ts";
import { notesMaster } from "./write-notes.ts";

/** Brings the slides of one deck to the end of another. */
export class DeckImport {
  readonly #target: Deck;
  readonly #source: Deck;
  readonly #usesDesign: boolean;
  readonly #copied: Copied = new Map();

  constructor(target: Deck, source: Deck, usesDesign: boolean) {
    this.#target = target;
    this.#source = source;
    this.#usesDesign = usesDesign;
  }

  run(): void {
    const parts = this.#source.slides.map(({ part }) =>
      copyPart(part, this.#source.pkg, this.#target.pkg, this.#copied, (name, kind) =>
        this.#standFor(name, kind),
      ),
    );
    for (const part of parts) listSlide(this.#target, part, undefined);
    for (const master of this.#source.masters) {
      const copy = this.#copied.get(master);
      if (copy !== undefined) this.#listMaster(copy);
    }
  }

  #standFor(name: string, kind: string): string | null | undefined {
    if (kind === "notesMaster") return notesMaster(this.#target, this.#source);
    if (kind === "slideLayout" && this.#usesDesign) return this.#layoutLike(name);
    const isListed = this.#source.slides.some(({ part }) => part === name);
    // Comments have authors elsewhere in the deck; slides outside the list are no slides.
    if (kind === "comments" || (kind === "slide" && !isListed)) return null;
    return undefined;
  }

  #layoutLike(name: string): string | undefined {
    const wanted = this.#source.layout(name);
    const { layouts } = this.#target;
    const found =
      layouts.find((each) => each.name.toLowerCase() === wanted.name.toLowerCase()) ??
      layouts.find((each) => each.type !== undefined && each.type === wanted.type) ??
      layouts.find((each) => each.type === "obj") ??
      layouts[0];
    return found?.part;
  }

  /** Ids of masters and layouts are unlike in one deck. */
  #listMaster(part: string): void {
    const root = this.#target.editRoot();
    const list = childOf(root, "p:sldMasterIdLst");
    if (list === undefined) return;
    let last = this.#lastId();
    const entry = createElement(list, "p:sldMasterId");
    last += 1;
    entry.setAttribute("id", String(last));
    setAttributeOf(
      entry,
      "r:id",
      this.#target.pkg.relate(this.#target.main, typeOfKind(root, "slideMaster"), part),
    );
    list.appendChild(entry);
    const layouts = childOf(this.#target.pkg.edit(part), "p:sldLayoutIdLst");
    for (const layout of layouts === undefined ? [] : childrenOf(layouts, "p:sldLayoutId")) {
      last += 1;
      layout.setAttribute("id", String(last));
    }
  }

  #lastId(): number {
    const list = childOf(this.#target.root, "p:sldMasterIdLst");
    const layouts = this.#target.masters.flatMap((master) => {
      const ids = childOf(this.#target.pkg.xml(master), "p:sldLayoutIdLst");
      return ids === undefined ? [] : childrenOf(ids);
    });
    return [...(list === undefined ? [] : childrenOf(list)), ...layouts].reduce(
      (most, each) => Math.max(most, Number(each.getAttribute("id")) || 0),
      FIRST_ID,
    );
  }
}
