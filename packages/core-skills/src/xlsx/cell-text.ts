import type { XmlElement } from "../shared/xml.ts";
import { childrenOf, isElement, makeElement, textOf } from "./xml.ts";

/** The plain text of a string item: its own text, or that of its runs. Readings of characters are left out. */
export function itemText(item: XmlElement): string {
  const pieces = childrenOf(item).map((each) => {
    if (each.name === "t") return textOf(each);
    return each.name === "r" ? childrenOf(each, "t").map(textOf).join("") : "";
  });
  return decodeText(pieces.join(""));
}

export function isRichText(item: XmlElement): boolean {
  return childrenOf(item, "r").length > 0;
}

/** A string item with the given plain text. */
export function textItem(name: string, text: string): XmlElement {
  const isSpaced = /^\s|\s$|\n/.test(text);
  const attributes: Record<string, string> = isSpaced ? { "xml:space": "preserve" } : {};
  return makeElement(name, {}, [makeElement("t", attributes, [encodeText(text)])]);
}

/** Replaces in every run by itself, so that each keeps its look. Returns whether there was a match. */
export function replaceInItem(item: XmlElement, replace: (text: string) => string): boolean {
  let isChanged = false;
  for (const each of childrenOf(item)) {
    if (each.name === "r") isChanged = replaceInItem(each, replace) || isChanged;
    if (each.name !== "t") continue;
    const before = decodeText(each.children.filter((node) => !isElement(node)).join(""));
    const after = replace(before);
    if (after === before) continue;
    isChanged = true;
    each.children = [encodeText(after)];
    if (/^\s|\s$|\n/.test(after)) each.attributes.set("xml:space", "preserve");
  }
  return isChanged;
}

/** Characters that XML cannot hold are written as `_x0001_`. */
export function encodeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/_x[0-9A-Fa-f]{4}_/g, (code) => `_x005F${code}`)
    .replace(/\p{Cc}|[\uFFFE\uFFFF]/gu, (character) => {
      const isAllowed = character >= "\u007F" && character < "\uFFFE";
      return isAllowed || "\t\n\r".includes(character) ? character : characterCode(character);
    });
}

function characterCode(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
}

export function decodeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
