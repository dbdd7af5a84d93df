import { escapeXml } from "@skillhold/skill";
import { neutralText } from "../catalogue/index.ts";

const WRAPPERS = ["skill_content", "skill_file", "skill_output", "skill_errors"] as const;

/** The elements around skill text. A harness can keep them when it compacts a conversation. */
export type WrapperTag = (typeof WRAPPERS)[number];

/** Wraps skill text in an element. Contract: the result opens and closes the element exactly once, for any text. */
export function wrap(name: WrapperTag, attributes: Readonly<Record<string, string>>, inner: string): string {
  const list = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(neutralText(value, 200))}"`,
  );
  return `<${name}${list.join("")}>\n${disarmTags(inner).trimEnd()}\n</${name}>`;
}

/**
 * Escapes wrapper tags in untrusted text: `<` becomes `&lt;` where a wrapper would open or close, in any letter case and
 * with spaces or invisible characters between the letters, which a model ignores. Other markup is unchanged.
 */
export function disarmTags(text: string): string {
  return text.replace(TAG, "&lt;");
}

// A gap never matches a slash or a letter of a name, so the pattern visits each character once.
const GAP = "[\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}]*";
const NAMES = WRAPPERS.map((name) => [...name].join(GAP)).join("|");
const TAG = new RegExp(`<(?=${GAP}(?:/${GAP})*(?:${NAMES}))`, "giu");
