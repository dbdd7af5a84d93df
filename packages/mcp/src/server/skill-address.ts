import { isSkillId } from "@skillhold/skill";

/** What an address below `skill://` names: a skill, and a path in its folder, which is empty for the folder itself. */
export interface SkillAddress {
  readonly id: string;
  readonly path: string;
}

/** Undefined for what is not an address of a skill's file or folder. */
export function readAddress(text: string): SkillAddress | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "skill:" || url.search !== "" || url.hash !== "") return undefined;
  if (url.username !== "" || url.password !== "" || url.port !== "" || !isSkillId(url.hostname))
    return undefined;
  const segments = url.pathname.split("/").slice(1);
  if (segments.length === 0) return { id: url.hostname, path: "" };
  const names = segments.map(decodeSegment);
  const plain = names.filter((name) => name !== undefined);
  if (plain.length < names.length) return undefined;
  return { id: url.hostname, path: plain.join("/") };
}

/** One name, or undefined where it is none, or would be several or another one when it is read as a path. */
function decodeSegment(segment: string): string | undefined {
  try {
    const name = decodeURIComponent(segment);
    const isName = name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
    return isName ? name : undefined;
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
}
