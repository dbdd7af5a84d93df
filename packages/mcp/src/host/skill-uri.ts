import { normalizeRelative, type PathLimits, type RelativePath } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { type RefusalCode, refuse } from "./refusal.ts";

/** The parsed URI of a SKILL.md. It is an identifier: this module resolves and fetches no URI. */
export interface SkillUri {
  /** The URI as the server wrote it, for requests. */
  readonly text: string;
  /** The URI of the folder. */
  readonly folder: string;
  /** The decoded folder name. */
  readonly name: string;
  /** The normalized URI. */
  readonly key: string;
}

const SKILL_FILE = "SKILL.md";
const MAX_LENGTH = 2048;
/** Schemes that programs interpret and that cannot identify a skill. */
const REJECTED_SCHEMES: ReadonlySet<string> = new Set([
  "file",
  "data",
  "blob",
  "javascript",
  "vbscript",
  "about",
]);
/** Characters that must be encoded, and the start of a query or fragment, which name no file. */
const UNENCODED = /[\s\p{C}\\<>"{}|^`?#]/u;

/** Parses the URI of a skill, or throws. */
export function readSkillUri(text: string): SkillUri {
  const { scheme, segments } = parseUri(text);
  const name = segments.at(-2);
  if (name === undefined || !text.endsWith(`/${SKILL_FILE}`))
    throw refuseUri("MCP_URI_INVALID", text, "does not name a SKILL.md in a folder");
  return { text, folder: text.slice(0, -SKILL_FILE.length - 1), name, key: keyOf(scheme, segments) };
}

/** Why a URI does not name a skill, or undefined. */
export function findSkillUriProblem(text: string): string | undefined {
  try {
    readSkillUri(text);
    return undefined;
  } catch (error) {
    if (error instanceof SkillError) return error.message;
    throw error;
  }
}

/** The path of a file relative to its skill. Throws for a URI outside the folder. */
export function readFileUri(text: string, skill: SkillUri, limits: PathLimits): RelativePath {
  const { scheme, segments } = parseUri(text);
  const folder = skill.key.slice(0, -SKILL_FILE.length);
  if (!keyOf(scheme, segments).startsWith(folder))
    throw refuseUri("MCP_URI_OUTSIDE", text, `is not in ${skill.folder}`);
  const inside = segments.slice(folder.split("/").length - FIRST_SEGMENT - 1);
  try {
    return normalizeRelative(inside.join("/"), limits);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    throw refuseUri("MCP_URI_OUTSIDE", text, `has an invalid path: ${error.message}`);
  }
}

/** Whether two URIs are equal after normalization, because servers encode names differently. */
export function isSameUri(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    const [a, b] = [parseUri(one), parseUri(other)];
    return keyOf(a.scheme, a.segments) === keyOf(b.scheme, b.segments);
  } catch (error) {
    if (error instanceof SkillError) return false;
    throw error;
  }
}

/** The index of the first segment in `scheme://first/second`, split at the slashes. */
const FIRST_SEGMENT = 2;

interface UriParts {
  readonly scheme: string;
  /** Decoded, starting with the authority. */
  readonly segments: readonly string[];
}

function parseUri(text: string): UriParts {
  if (text.length > MAX_LENGTH)
    throw refuseUri("MCP_URI_INVALID", text, `is longer than ${MAX_LENGTH} characters`);
  const [start, scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (start === undefined) throw refuseUri("MCP_URI_INVALID", text, "has no scheme");
  if (REJECTED_SCHEMES.has(scheme.toLowerCase()))
    throw refuseUri("MCP_URI_SCHEME", text, `has the scheme ${scheme.toLowerCase()}`);
  if (!text.startsWith("//", start.length) || UNENCODED.test(text))
    throw refuseUri("MCP_URI_INVALID", text, "is not of the form scheme://path with encoded names");
  const segments = text.slice(start.length + 2).split("/");
  return { scheme: scheme.toLowerCase(), segments: segments.map((segment) => decode(segment, text)) };
}

/** Rejects a double-encoded name, which would change its meaning when it is decoded again. */
function decode(segment: string, text: string): string {
  const decoded = decodeOnce(segment);
  if (decoded === undefined || decoded === "" || /%[0-9a-f]{2}/i.test(decoded))
    throw refuseUri("MCP_URI_INVALID", text, "has a name that is empty or not encoded exactly once");
  if (decoded === "." || decoded === ".." || /[/\\]/.test(decoded))
    throw refuseUri("MCP_URI_OUTSIDE", text, "has a name that leaves its folder");
  if (/\p{C}/u.test(decoded)) throw refuseUri("MCP_URI_INVALID", text, "contains an invisible character");
  return decoded;
}

function decodeOnce(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    // The percent encoding is invalid or not UTF-8.
    return undefined;
  }
}

function keyOf(scheme: string, segments: readonly string[]): string {
  return `${scheme}://${segments.map((segment) => encodeURIComponent(segment)).join("/")}`;
}

const SHOWN_LENGTH = 200;

function refuseUri(code: RefusalCode, text: string, problem: string): SkillError {
  const uri = text.slice(0, SHOWN_LENGTH);
  return refuse(code, `The URI ${JSON.stringify(uri)} ${problem}.`, { uri });
}
