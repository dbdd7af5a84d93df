import { escapeXml } from "@skillhold/skill";
import type { CatalogueItem } from "./item.ts";
import type { Layout, Page } from "./layout.ts";

/** The reference's elements. `<name>` is what to call the skill by, unless an `<id>` follows it. */
export const nestedLayout: Layout = {
  separator: "\n",
  item(item) {
    const lines = [
      `  <skill${marks(item)}>`,
      `    <name>${escapeValue(item.name)}</name>`,
      item.name === item.id ? "" : `    <id>${escapeValue(item.id)}</id>`,
      item.description === "" ? "" : `    <description>${escapeValue(item.description)}</description>`,
      item.tags.length === 0 ? "" : `    <tags>${escapeValue(item.tags.join(", "))}</tags>`,
      item.location === undefined ? "" : `    <location>${escapeValue(item.location)}</location>`,
      "  </skill>",
    ];
    return lines.filter((line) => line !== "").join("\n");
  },
  page: writePage,
};

/** GoClaw's form: one line a skill, called by its `slug`. */
export const attributeLayout: Layout = {
  separator: "\n",
  item(item) {
    const start = `  <skill name="${escapeValue(item.name)}" slug="${escapeValue(item.id)}"${marks(item)}${tags(item)}`;
    return item.description === "" ? `${start}/>` : `${start}>${escapeValue(item.description)}</skill>`;
  },
  page: writePage,
};

function tags({ tags }: CatalogueItem): string {
  return tags.length === 0 ? "" : ` tags="${escapeValue(tags.join(", "))}"`;
}

function marks({ isThirdParty, origin, readiness }: CatalogueItem): string {
  const trust = isThirdParty ? ' trust="third_party"' : "";
  const from = origin === undefined ? trust : `${trust} origin="${escapeValue(origin)}"`;
  return readiness === "ready" ? from : `${from} readiness="${readiness}"`;
}

function writePage({ preamble, items, note }: Page): string {
  if (items.length === 0) return note;
  const list = ["<available_skills>", ...items, "</available_skills>"].join("\n");
  return [preamble, list, note].filter((part) => part !== "").join("\n");
}

/** Besides markup, breaks the bracketed control words of chat templates such as `[INST]`. */
function escapeValue(text: string): string {
  return escapeXml(text).replace(/\[(?=\/?[A-Z])/g, "&#91;");
}
