import { type FrontmatterMap, textOf } from "../yaml/value.ts";

/** Route names of the gateway, which cannot be ids. */
export const reservedIds: ReadonlySet<string> = new Set([
  "upload",
  "runtimes",
  "rescan-deps",
  "install-dep",
  "install-deps",
]);

const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_LENGTH = 64;

/** Letters that Unicode does not decompose into a Latin letter and a mark. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i",
};

export function isSkillId(text: string): boolean {
  return text.length <= MAX_LENGTH && ID.test(text);
}

/** The closest id to a name: `My Awesome Skill` → `my-awesome-skill`. Empty when no letter or digit remains. */
export function slugify(name: string): string {
  const latin = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const spelled = latin.replace(/[ßæœøđðłþı]/g, (letter) => SPELLINGS[letter] ?? letter);
  const words = spelled.match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, MAX_LENGTH).replace(/-$/, "");
}

export interface FolderId {
  readonly id: string;
  /** True when the folder's name is not a valid id. */
  readonly isSlugified: boolean;
}

/** The id of a skill in a folder source: the folder's name, or the closest id. */
export function folderId(folder: string): FolderId {
  if (isSkillId(folder)) return { id: folder, isSlugified: false };
  const slug = slugify(folder);
  return { id: slug === "" ? `skill-${fingerprint(folder)}` : slug, isSlugified: true };
}

/** The id for publishing; undefined when the publisher must choose one. */
export function publishId(frontmatter: FrontmatterMap, chosen?: string): string | undefined {
  const wanted = chosen ?? textOf(frontmatter["slug"]);
  if (wanted !== undefined) return isSkillId(wanted) ? wanted : undefined;
  const name = textOf(frontmatter["name"]) ?? "";
  const id = isSkillId(name) ? name : slugify(name);
  return id === "" ? undefined : id;
}

/** FNV-1a, 32 bits: a stable id for names without Latin letters, such as 技能. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text.normalize("NFC")))
    hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
