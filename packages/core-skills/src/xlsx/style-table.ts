import { clip } from "../shared/bounded.ts";
import { usageError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { builtInFormat, builtInId, isDateFormat } from "./number-format.ts";
import type { PartStore } from "./part-store.ts";
import { childOf, childrenOf, copyElement, makeElement } from "./xml.ts";

/** A change to the style of a cell. Missing fields stay unchanged. */
export interface StyleChange {
  readonly numberFormat?: string | undefined;
  readonly bold?: boolean | undefined;
  readonly italic?: boolean | undefined;
  /** `RRGGBB`. */
  readonly color?: string | undefined;
  /** `RRGGBB`, or `none`. */
  readonly fill?: string | undefined;
  readonly align?: string | undefined;
  readonly wrap?: boolean | undefined;
}

/** The styles of a workbook. Cells refer to a style by its index, so a style in use never changes. */
export class StyleTable {
  readonly #parts: PartStore;
  readonly #name: string;
  readonly #derived = new Map<string, number>();
  readonly #dates = new Map<number, boolean>();

  constructor(parts: PartStore, name: string) {
    this.#parts = parts;
    this.#name = name;
  }

  formatOf(style: number): string {
    const id = Number(this.#formats[style]?.attributes.get("numFmtId") ?? 0);
    const written = childrenOf(childOf(this.#root, "numFmts"), "numFmt").find(
      (each) => Number(each.attributes.get("numFmtId")) === id,
    );
    return written?.attributes.get("formatCode") ?? builtInFormat(id);
  }

  isDate(style: number): boolean {
    const known = this.#dates.get(style);
    if (known !== undefined) return known;
    const isDate = isDateFormat(this.formatOf(style));
    this.#dates.set(style, isDate);
    return isDate;
  }

  /** A style like the given one with the change; the same request gets the same style. */
  derive(style: number, change: StyleChange): number {
    const key = JSON.stringify([style, change]);
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    const root = this.#parts.change(this.#name);
    const format = copyElement(this.#formats[style] ?? makeElement("xf", DEFAULT_FORMAT));
    if (change.numberFormat !== undefined) {
      setAll(format, { numFmtId: String(numberFormatId(root, change.numberFormat)), applyNumberFormat: "1" });
    }
    if (change.bold !== undefined || change.italic !== undefined || change.color !== undefined) {
      setAll(format, { fontId: String(deriveFont(root, format, change)), applyFont: "1" });
    }
    if (change.fill !== undefined)
      setAll(format, { fillId: String(fillId(root, change.fill)), applyFill: "1" });
    if (change.align !== undefined || change.wrap !== undefined) align(format, change);
    const index = append(listOf(root, "cellXfs"), format);
    this.#derived.set(key, index);
    return index;
  }

  /** Takes over a style of another workbook. */
  adopt(style: number, from: StyleTable): number {
    const key = `adopt ${style}`;
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    const root = this.#parts.change(this.#name);
    const format = copyElement(from.#formats[style] ?? makeElement("xf", DEFAULT_FORMAT));
    // Named styles stay behind: their number means another one here.
    setAll(format, { xfId: "0", numFmtId: String(numberFormatId(root, from.formatOf(style))) });
    for (const [list, id] of SHARED_LISTS) {
      const original = childrenOf(childOf(from.#root, list))[Number(format.attributes.get(id) ?? 0)];
      if (original !== undefined)
        format.attributes.set(id, String(append(listOf(root, list), copyElement(original))));
    }
    for (const name of APPLIED) format.attributes.set(name, "1");
    const index = append(listOf(root, "cellXfs"), format);
    this.#derived.set(key, index);
    return index;
  }

  /** Copies a style of conditional formats from another table; undefined when the style does not exist. */
  adoptDifferential(index: number, from: StyleTable): number | undefined {
    const original = childrenOf(childOf(from.#root, "dxfs"))[index];
    if (original === undefined) return undefined;
    return append(listOf(this.#parts.change(this.#name), "dxfs"), copyElement(original));
  }

  /** Adds a style for conditional formats. Returns its index. */
  addDifferential({ fill, color, bold }: Pick<StyleChange, "fill" | "color" | "bold">): number {
    const font = [
      ...(bold === undefined ? [] : [makeElement("b", bold ? {} : { val: "0" })]),
      ...(color === undefined ? [] : [makeElement("color", { rgb: `FF${color}` })]),
    ];
    const parts = [
      ...(font.length === 0 ? [] : [makeElement("font", {}, font)]),
      ...(fill === undefined
        ? []
        : [
            makeElement("fill", {}, [
              makeElement("patternFill", {}, [makeElement("bgColor", { rgb: `FF${fill}` })]),
            ]),
          ]),
    ];
    return append(listOf(this.#parts.change(this.#name), "dxfs"), makeElement("dxf", {}, parts));
  }

  get #root(): XmlElement | undefined {
    return this.#parts.read(this.#name);
  }

  get #formats(): readonly XmlElement[] {
    return childrenOf(childOf(this.#root, "cellXfs"), "xf");
  }
}

/** Reads `#1F4E78` or `1F4E78`. */
export function readColor(text: string): string {
  const found = /^#?([0-9a-fA-F]{6})$/.exec(text);
  if (found?.[1] !== undefined) return found[1].toUpperCase();
  throw usageError(`${clip(text, 20)} is not a color.`, "Colors are six hexadecimal digits, such as 1F4E78.");
}

const DEFAULT_FORMAT = { numFmtId: "0", fontId: "0", fillId: "0", borderId: "0", xfId: "0" };
const SHARED_LISTS = [
  ["fonts", "fontId"],
  ["fills", "fillId"],
  ["borders", "borderId"],
] as const;
const APPLIED = ["applyNumberFormat", "applyFont", "applyFill", "applyBorder"] as const;

/** The order of the lists in a style sheet. */
const LISTS = ["numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs"];

function listOf(root: XmlElement, name: string): XmlElement {
  const known = childOf(root, name);
  if (known !== undefined) return known;
  const list = makeElement(name, { count: "0" });
  const later = LISTS.slice(LISTS.indexOf(name) + 1);
  const index = root.children.findIndex(
    (node) => typeof node !== "string" && (later.includes(node.name) || !LISTS.includes(node.name)),
  );
  root.insertAt(index === -1 ? root.children.length : index, list);
  return list;
}

function append(list: XmlElement, element: XmlElement): number {
  const index = childrenOf(list).length;
  list.appendChild(element);
  list.attributes.set("count", String(index + 1));
  return index;
}

function numberFormatId(root: XmlElement, format: string): number {
  const known = builtInId(format);
  if (known !== undefined) return known;
  const list = listOf(root, "numFmts");
  const written = childrenOf(list, "numFmt");
  const same = written.find((each) => each.attributes.get("formatCode") === format);
  if (same !== undefined) return Number(same.attributes.get("numFmtId"));
  const id = Math.max(163, ...written.map((each) => Number(each.attributes.get("numFmtId")))) + 1;
  append(list, makeElement("numFmt", { numFmtId: String(id), formatCode: format }));
  return id;
}

/** The order in which a font names its properties. */
const FONT_ORDER = [
  "b",
  "i",
  "strike",
  "condense",
  "extend",
  "outline",
  "shadow",
  "u",
  "vertAlign",
  "sz",
  "color",
];

function deriveFont(root: XmlElement, format: XmlElement, { bold, italic, color }: StyleChange): number {
  const list = listOf(root, "fonts");
  const font = copyElement(
    childrenOf(list)[Number(format.attributes.get("fontId") ?? 0)] ?? makeElement("font"),
  );
  const replace = (name: string, element: XmlElement | undefined) => {
    font.children = font.children.filter((node) => typeof node === "string" || node.name !== name);
    if (element === undefined) return;
    const later = FONT_ORDER.slice(FONT_ORDER.indexOf(name) + 1);
    const index = font.children.findIndex(
      (node) => typeof node !== "string" && (later.includes(node.name) || !FONT_ORDER.includes(node.name)),
    );
    font.insertAt(index === -1 ? font.children.length : index, element);
  };
  if (bold !== undefined) replace("b", bold ? makeElement("b") : undefined);
  if (italic !== undefined) replace("i", italic ? makeElement("i") : undefined);
  if (color !== undefined) replace("color", makeElement("color", { rgb: `FF${readColor(color)}` }));
  return append(list, font);
}

function fillId(root: XmlElement, fill: string): number {
  if (fill === "none") return 0;
  const pattern = makeElement("patternFill", { patternType: "solid" }, [
    makeElement("fgColor", { rgb: `FF${readColor(fill)}` }),
    makeElement("bgColor", { indexed: "64" }),
  ]);
  return append(listOf(root, "fills"), makeElement("fill", {}, [pattern]));
}

function align(format: XmlElement, { align: horizontal, wrap }: StyleChange): void {
  const known = childOf(format, "alignment");
  const alignment = known ?? makeElement("alignment");
  if (known === undefined) format.insertAt(0, alignment);
  if (horizontal !== undefined) alignment.attributes.set("horizontal", horizontal);
  if (wrap !== undefined) alignment.attributes.set("wrapText", wrap ? "1" : "0");
  format.attributes.set("applyAlignment", "1");
}

function setAll(element: XmlElement, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) element.attributes.set(name, value);
}
