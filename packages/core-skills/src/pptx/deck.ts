import { readInput } from "../shared/input-file.ts";
import { OfficePackage } from "../shared/office-package.ts";
import { attributeOf, childOf, childrenOf, descend, plainAttribute } from "../shared/office-xml.ts";
import { inputError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import type { XmlElement } from "../shared/xml.ts";

/** A slide by its place in the deck. */
export interface Slide {
  /** Counted from 1. */
  readonly number: number;
  readonly part: string;
  /** The id in the list of slides, which other lists name. */
  readonly id: string;
  readonly relation: string;
}

export interface Layout {
  readonly part: string;
  readonly name: string;
  /** `title`, `obj`, `titleOnly`, … where the program that made it says so. */
  readonly type: string | undefined;
}

/** In English Metric Units: 914,400 an inch. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A presentation that was opened. */
export class Deck {
  readonly pkg: OfficePackage;
  /** The part that lists the slides. */
  readonly main: string;

  constructor(pkg: OfficePackage) {
    this.pkg = pkg;
    this.main = findMain(pkg);
  }

  static async open(path: string, io: ScriptIo): Promise<Deck> {
    return new Deck(new OfficePackage(await readInput(path, io)));
  }

  get root(): XmlElement {
    return this.pkg.xml(this.main);
  }

  /** The presentation, to be changed. */
  editRoot(): XmlElement {
    return this.pkg.edit(this.main);
  }

  get slides(): readonly Slide[] {
    const list = childOf(this.root, "p:sldIdLst");
    const relations = new Map(this.pkg.relations(this.main).map((each) => [each.id, each]));
    return (list === undefined ? [] : childrenOf(list, "p:sldId")).map((element, index) => {
      const relation = attributeOf(element, "r:id") ?? "";
      const part = relations.get(relation)?.target;
      if (part === undefined || !this.pkg.has(part)) {
        throw inputError("BROKEN_FILE", `${this.pkg.file.path} is damaged: slide ${index + 1} is missing.`);
      }
      return { number: index + 1, part, id: element.getAttribute("id"), relation };
    });
  }

  /** The layouts of all masters, in their order. */
  get layouts(): readonly Layout[] {
    return this.masters.flatMap((master) => {
      const list = childOf(this.pkg.xml(master), "p:sldLayoutIdLst");
      const ids =
        list === undefined ? [] : childrenOf(list, "p:sldLayoutId").map((each) => attributeOf(each, "r:id"));
      const parts = ids.flatMap((id) => this.pkg.relation(master, id)?.target ?? []);
      return parts.filter((part) => this.pkg.has(part)).map((part) => this.layout(part));
    });
  }

  layout(part: string): Layout {
    const root = this.pkg.xml(part);
    return {
      part,
      name: descend(root, "p:cSld")?.getAttribute("name") ?? "",
      type: plainAttribute(root, "type"),
    };
  }

  get masters(): readonly string[] {
    const list = childOf(this.root, "p:sldMasterIdLst");
    const ids =
      list === undefined ? [] : childrenOf(list, "p:sldMasterId").map((each) => attributeOf(each, "r:id"));
    return ids
      .flatMap((id) => this.pkg.relation(this.main, id)?.target ?? [])
      .filter((part) => this.pkg.has(part));
  }

  get size(): Size {
    const size = childOf(this.root, "p:sldSz");
    return {
      width: Number(size?.getAttribute("cx")) || 9_144_000,
      height: Number(size?.getAttribute("cy")) || 6_858_000,
    };
  }

  /** The one part of that kind that a part relates to: `slideLayout`, `notesSlide`. */
  related(part: string, kind: string): string | undefined {
    return this.pkg.related(part, kind).find(({ target }) => this.pkg.has(target))?.target;
  }
}

function findMain(pkg: OfficePackage): string {
  const main = pkg.related("", "officeDocument").find(({ target }) => pkg.has(target))?.target;
  if (main === undefined) throw inputError("NOT_AN_OFFICE_FILE", `${pkg.file.path} has no main part.`);
  const type = pkg.contentType(main) ?? "";
  if (type.includes("presentationml") || type.includes("ms-powerpoint")) return main;
  const other = [
    ["wordprocessingml", "a Word document", "docx"],
    ["spreadsheetml", "a workbook", "xlsx"],
  ].find(([word = "?"]) => type.includes(word));
  throw inputError(
    "WRONG_KIND",
    `${pkg.file.path} is ${other?.[1] ?? "of a kind that is not known here"}, not a presentation.`,
    other === undefined ? undefined : `Use the ${other[2]} skill.`,
  );
}
