import { escapeXml } from "@skillhold/skill";
import { neutralText } from "../catalogue/index.ts";

const WRAPPERS = ["skill_content", "skill_file", "skill_output", "skill_errors"] as const;

/** The elements that text of a skill is handed over in. A harness keeps them when it shortens a conversation. */
export type Wrapper = (typeof WRAPPERS)[number];

/**
 * Puts text of a skill into an element with attributes that only we set. Whatever the text is, the result opens
 * and closes the element once.
 */
export function wrap(name: Wrapper, attributes: Readonly<Record<string, string>>, inner: string): string {
  const list = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(neutralText(value, 200))}"`,
  );
  return `<${name}${list.join("")}>\n${disarmTags(inner).trimEnd()}\n</${name}>`;
}

/**
 * Takes the meaning from our tags in text that is not ours: `<` becomes `&lt;` wherever a wrapper would open or
 * close, in any case and also with blanks or invisible characters in between, which a model reads over. All other
 * markup stays as written.
 */
export function disarmTags(text: string): string {
  return text.replace(TAG, "&lt;");
}

// A gap never matches a slash or a letter of a name, so that the pattern looks at each character once.
const GAP = "[\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}]*";
const NAMES = WRAPPERS.map((name) => [...name].join(GAP)).join("|");
const TAG = new RegExp(`<(?=${GAP}(?:/${GAP})*(?:${NAMES}))`, "giu");
