import { attributeOf, childOf, descendantsOf, setAttributeOf, type Tag } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { NumberingImport } from "./numbering-import.ts";
import type { Styles } from "./styles.ts";
import type { WordFile } from "./word-file.ts";

/** The elements that name a style, and the kind of style that they name. */
const references = [
  ["w:pStyle", "paragraph"],
  ["w:rStyle", "character"],
  ["w:tblStyle", "table"],
] as const satisfies readonly (readonly [Tag, string])[];

/** Gives content the styles of another document: those of the same name there, copies of the rest. */
export class StyleImport {
  readonly #target: WordFile;
  readonly #targetStyles: Styles;
  readonly #sourceStyles: Styles;
  readonly #numbering: NumberingImport;
  readonly #ids = new Map<string, string | undefined>();

  constructor(target: WordFile, source: WordFile, numbering: NumberingImport) {
    this.#target = target;
    this.#targetStyles = target.styles;
    this.#sourceStyles = source.styles;
    this.#numbering = numbering;
  }

  adapt(element: XmlElement): void {
    for (const [tag] of references) {
      for (const each of descendantsOf(element, tag)) {
        const id = this.#idOf(attributeOf(each, "w:val") ?? "");
        if (id === undefined) each.parentNode?.removeChild(each);
        else setAttributeOf(each, "w:val", id);
      }
    }
  }

  /** The id in the target; undefined when neither document has such a style. */
  #idOf(id: string): string | undefined {
    if (this.#ids.has(id)) return this.#ids.get(id);
    const style = this.#sourceStyles.byId(id);
    const same = style === undefined ? undefined : this.#targetStyles.byName(style.name, style.type);
    // Set before the copy is made, because styles may name each other in a circle.
    this.#ids.set(id, same?.id ?? (style === undefined ? undefined : this.#freeId(id)));
    if (style !== undefined && same === undefined) this.#copy(style.element, this.#ids.get(id) ?? id);
    return this.#ids.get(id);
  }

  #copy(element: XmlElement, id: string): void {
    const part = this.#target.part("styles");
    if (part === undefined) return;
    const root = this.#target.pkg.edit(part);
    const copy = root.appendChild(element.cloneNode(true));
    setAttributeOf(copy, "w:styleId", id);
    const isDefault = attributeOf(copy, "w:default");
    if (isDefault !== undefined) setAttributeOf(copy, "w:default", "0");
    for (const tag of ["w:basedOn", "w:next", "w:link"] as const) {
      const reference = childOf(copy, tag);
      if (reference === undefined) continue;
      const other = this.#idOf(attributeOf(reference, "w:val") ?? "");
      if (other === undefined) copy.removeChild(reference);
      else setAttributeOf(reference, "w:val", other);
    }
    this.#numbering.adapt(copy);
  }

  #freeId(id: string): string {
    let free = id;
    for (let number = 2; this.#targetStyles.byId(free) !== undefined; number += 1) free = `${id}${number}`;
    return free;
  }
}
