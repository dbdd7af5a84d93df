import type { CatalogueItem } from "./item.ts";
import type { Layout } from "./layout.ts";

/** Yodoca's bullets. The marks stand before the dash, where no description reaches. */
export const markdownLayout: Layout = {
  separator: "\n",
  item(item) {
    const start = `• \`${escapeValue(item.id)}\`${marks(item)}`;
    if (item.description === "") return start;
    const tags = item.tags.length === 0 ? "" : ` (tags: ${escapeValue(item.tags.join(", "))})`;
    return `${start} — ${escapeValue(item.description)}${tags}`;
  },
  page({ preamble, items, note, readTool }) {
    if (items.length === 0) return note;
    const list = ["[Available Skills]", ...items].join("\n");
    const end = [note, `Use ${readTool}(skill_id) to load full instructions.`];
    return [preamble, list, end.filter((line) => line !== "").join("\n")]
      .filter((part) => part !== "")
      .join("\n\n");
  },
};

function marks({ isThirdParty, origin = "", readiness }: CatalogueItem): string {
  const words = [
    isThirdParty ? "third party" : "",
    escapeValue(origin),
    readiness === "ready" ? "" : readiness,
  ];
  const text = words.filter((word) => word !== "").join(", ");
  return text === "" ? "" : ` (${text})`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "`": "&#96;",
  "<": "&lt;",
  "[": "&#91;",
  "•": "&#8226;",
  "&": "&amp;",
};

/**
 * Uses character references, because Markdown decodes them and a backslash would leave `<|im_start|>` intact. An
 * ampersand outside a reference stays, as in Markdown.
 */
function escapeValue(text: string): string {
  return text.replace(/[`<[•]|&(?=#?\w{1,32};)/g, (character) => ENTITIES[character] ?? character);
}
