import { attributeOf, childrenOf, descendantsOf, removeNode, setAttributeOf } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { NumberingImport } from "./numbering-import.ts";
import type { StyleImport } from "./style-import.ts";
import type { WordFile } from "./word-file.ts";

type AdaptRelations = (note: XmlElement, targetPart: string, sourcePart: string) => void;

const kinds = [
  { kind: "footnotes", note: "w:footnote", reference: "w:footnoteReference" },
  { kind: "endnotes", note: "w:endnote", reference: "w:endnoteReference" },
] as const;

/** Brings the notes that content refers to into another document. */
export class NoteImport {
  readonly #target: WordFile;
  readonly #source: WordFile;
  readonly #styles: StyleImport;
  readonly #numbering: NumberingImport;
  readonly #adaptRelations: AdaptRelations;

  constructor(
    target: WordFile,
    source: WordFile,
    styles: StyleImport,
    numbering: NumberingImport,
    adaptRelations: AdaptRelations,
  ) {
    this.#target = target;
    this.#source = source;
    this.#styles = styles;
    this.#numbering = numbering;
    this.#adaptRelations = adaptRelations;
  }

  adapt(elements: readonly XmlElement[]): void {
    for (const each of kinds) this.#adaptKind(elements, each);
  }

  #adaptKind(elements: readonly XmlElement[], { kind, note, reference }: (typeof kinds)[number]): void {
    const references = elements.flatMap((element) => descendantsOf(element, reference));
    const sourcePart = this.#source.part(kind);
    if (references.length === 0 || sourcePart === undefined) return;
    const targetPart = this.#target.part(kind) ?? this.#copyPart(sourcePart, kind, note);
    const notes = childrenOf(this.#source.pkg.xml(sourcePart), note);
    const root = this.#target.pkg.edit(targetPart);
    const ids = childrenOf(root, note).map((each) => Number(attributeOf(each, "w:id")) || 0);
    let last = ids.reduce((most, id) => Math.max(most, id), 0);
    for (const each of references) {
      const found = notes.find((one) => attributeOf(one, "w:id") === attributeOf(each, "w:id"));
      if (found === undefined) {
        removeNode(each);
        continue;
      }
      last += 1;
      const copy = root.appendChild(found.cloneNode(true));
      setAttributeOf(copy, "w:id", String(last));
      this.#styles.adapt(copy);
      this.#numbering.adapt(copy);
      this.#adaptRelations(copy, targetPart, sourcePart);
      setAttributeOf(each, "w:id", String(last));
    }
  }

  /** Copies a part with the lines between text and notes, but without the notes. */
  #copyPart(sourcePart: string, kind: string, note: (typeof kinds)[number]["note"]): string {
    const { pkg, main } = this.#target;
    const name = pkg.has(`word/${kind}.xml`) ? pkg.freeName(`word/${kind}`, "xml") : `word/${kind}.xml`;
    pkg.set(
      name,
      this.#source.pkg.bytes(sourcePart),
      this.#source.pkg.contentType(sourcePart) ?? "application/xml",
    );
    const root = pkg.edit(name);
    for (const each of childrenOf(root, note)) {
      if (attributeOf(each, "w:type") === undefined) root.removeChild(each);
    }
    const type = this.#source.pkg.related(this.#source.main, kind)[0]?.type ?? "";
    pkg.relate(main, type, name);
    return name;
  }
}
