import { normalizeRelative, type PathLimits, type RelativePath } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { type RefusalCode, refuse } from "./refusal.ts";

/** The address of a skill's SKILL.md, taken apart. It is only ever a name: nothing here is resolved or fetched. */
export interface SkillUri {
  /** As the server wrote it, which is how it is asked for. */
  readonly text: string;
  /** The same of the skill's folder. */
  readonly folder: string;
  /** The name of the folder, decoded. */
  readonly name: string;
  /** One spelling for all that mean the same. */
  readonly key: string;
}

const SKILL_FILE = "SKILL.md";
const MOST_LENGTH = 2048;
/** These have a meaning to whatever opens them, and none as a name of a skill. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set([
  "file",
  "data",
  "blob",
  "javascript",
  "vbscript",
  "about",
]);
/** What an address has only when it is encoded; a query and a fragment, too, since they name no other file. */
const UNENCODED = /[\s\p{C}\\<>"{}|^`?#]/u;

/** Reads the address of a skill, or refuses it. */
export function readSkillUri(text: string): SkillUri {
  const { scheme, segments } = takeApart(text);
  const name = segments.at(-2);
  if (name === undefined || !text.endsWith(`/${SKILL_FILE}`))
    throw refuseUri("MCP_URI_INVALID", text, "does not name a SKILL.md in a folder");
  return { text, folder: text.slice(0, -SKILL_FILE.length - 1), name, key: keyOf(scheme, segments) };
}

/** Why an address is none of a skill, or undefined. */
export function findSkillUriProblem(text: string): string | undefined {
  try {
    readSkillUri(text);
    return undefined;
  } catch (error) {
    if (error instanceof SkillError) return error.message;
    throw error;
  }
}

/** The path of a file from the folder of its skill, or a refusal of one that is not in there. */
export function readFileUri(text: string, skill: SkillUri, limits: PathLimits): RelativePath {
  const { scheme, segments } = takeApart(text);
  const folder = skill.key.slice(0, -SKILL_FILE.length);
  if (!keyOf(scheme, segments).startsWith(folder))
    throw refuseUri("MCP_URI_OUTSIDE", text, `is not in ${skill.folder}`);
  const inside = segments.slice(folder.split("/").length - FIRST_SEGMENT - 1);
  try {
    return normalizeRelative(inside.join("/"), limits);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    throw refuseUri("MCP_URI_OUTSIDE", text, `has a path that no skill may have: ${error.message}`);
  }
}

/** Whether two addresses mean the same: servers encode names in their own ways. */
export function isSameUri(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    const [a, b] = [takeApart(one), takeApart(other)];
    return keyOf(a.scheme, a.segments) === keyOf(b.scheme, b.segments);
  } catch (error) {
    if (error instanceof SkillError) return false;
    throw error;
  }
}

/** Of `scheme://first/second`, split at the slashes. */
const FIRST_SEGMENT = 2;

interface UriParts {
  readonly scheme: string;
  /** Decoded, from the one that stands where an address has its host. */
  readonly segments: readonly string[];
}

function takeApart(text: string): UriParts {
  if (text.length > MOST_LENGTH)
    throw refuseUri("MCP_URI_INVALID", text, `is longer than ${MOST_LENGTH} characters`);
  const [start, scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (start === undefined) throw refuseUri("MCP_URI_INVALID", text, "has no scheme");
  if (REFUSED_SCHEMES.has(scheme.toLowerCase()))
    throw refuseUri("MCP_URI_SCHEME", text, `has the scheme ${scheme.toLowerCase()}`);
  if (!text.startsWith("//", start.length) || UNENCODED.test(text))
    throw refuseUri("MCP_URI_INVALID", text, "is not of the form scheme://path with every name encoded");
  const segments = text.slice(start.length + 2).split("/");
  return { scheme: scheme.toLowerCase(), segments: segments.map((segment) => decode(segment, text)) };
}

/** What is still encoded after one decoding would mean something else to whoever decodes again. */
function decode(segment: string, text: string): string {
  const decoded = decodeOnce(segment);
  if (decoded === undefined || decoded === "" || /%[0-9a-f]{2}/i.test(decoded))
    throw refuseUri("MCP_URI_INVALID", text, "has a name that is empty or not encoded once");
  if (decoded === "." || decoded === ".." || /[/\\]/.test(decoded))
    throw refuseUri("MCP_URI_OUTSIDE", text, "has a name that leads elsewhere");
  if (/\p{C}/u.test(decoded)) throw refuseUri("MCP_URI_INVALID", text, "has an invisible character");
  return decoded;
}

function decodeOnce(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A percent sign that encodes nothing, or bytes that are not UTF-8.
    return undefined;
  }
}

function keyOf(scheme: string, segments: readonly string[]): string {
  return `${scheme}://${segments.map((segment) => encodeURIComponent(segment)).join("/")}`;
}

const SHOWN_LENGTH = 200;

function refuseUri(code: RefusalCode, text: string, problem: string): SkillError {
  const uri = text.slice(0, SHOWN_LENGTH);
  return refuse(code, `The address ${JSON.stringify(uri)} ${problem}.`, { uri });
}
