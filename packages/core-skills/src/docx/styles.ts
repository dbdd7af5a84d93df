import { attributeOf, childOf, childrenOf, descend } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";

export interface Style {
  readonly id: string;
  /** As people see it; Word's own styles have English names here in every language. */
  readonly name: string;
  readonly type: string;
  readonly element: XmlElement;
}

/** The styles of a document. */
export class Styles {
  readonly all: readonly Style[];
  readonly #byId: ReadonlyMap<string, Style>;

  constructor(root: XmlElement | undefined) {
    this.all = root === undefined ? [] : childrenOf(root, "w:style").map(readStyle);
    this.#byId = new Map(this.all.map((style) => [style.id, style]));
  }

  byId(id: string | undefined): Style | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Names are the same in every case: Word writes `heading 1`, others `Heading 1`. */
  byName(name: string, type: string): Style | undefined {
    const wanted = name.toLowerCase();
    return this.all.find((style) => style.type === type && style.name.toLowerCase() === wanted);
  }

  of(paragraph: XmlElement): Style | undefined {
    return this.byId(attributeOf(descend(paragraph, "w:pPr", "w:pStyle"), "w:val"));
  }

  /** 1 to 9 for headings. A title counts as the first level. */
  headingLevel(paragraph: XmlElement): number | undefined {
    const direct = attributeOf(descend(paragraph, "w:pPr", "w:outlineLvl"), "w:val");
    if (direct !== undefined) return toLevel(direct);
    for (const style of this.chain(this.of(paragraph))) {
      const named = /^heading ([1-9])$/i.exec(style.name)?.[1];
      if (named !== undefined) return Number(named);
      if (/^title$/i.test(style.name)) return 1;
      const level = attributeOf(descend(style.element, "w:pPr", "w:outlineLvl"), "w:val");
      if (level !== undefined) return toLevel(level);
    }
    return undefined;
  }

  /** The style and those it is based on. */
  chain(style: Style | undefined): readonly Style[] {
    const found: Style[] = [];
    for (let each = style; each !== undefined && !found.includes(each); ) {
      found.push(each);
      each = this.byId(attributeOf(childOf(each.element, "w:basedOn"), "w:val"));
    }
    return found;
  }
}

function readStyle(element: XmlElement): Style {
  const id = attributeOf(element, "w:styleId") ?? "";
  return {
    id,
    name: attributeOf(childOf(element, "w:name"), "w:val") ?? id,
    type: attributeOf(element, "w:type") ?? "paragraph",
    element,
  };
}

/** The tenth level, 9, is the one of plain text. */
function toLevel(value: string): number | undefined {
  const level = Number(value) + 1;
  return level >= 1 && level <= 9 ? level : undefined;
}
