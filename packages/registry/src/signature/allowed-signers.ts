import type { Diagnostic } from "@skillhold/protocol";
import { fingerprintOf, readSshKey, type SshKey } from "./ssh-wire.ts";

/** A key whose signatures are trusted, as OpenSSH's `allowed_signers` lists it. */
export interface AllowedSigner {
  /** Names or patterns, separated by commas. */
  readonly principals: readonly string[];
  /** The namespaces the key may sign in; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly validAfter: Date | undefined;
  readonly validBefore: Date | undefined;
  readonly key: SshKey;
  readonly keyId: string;
  readonly comment: string;
}

export interface AllowedSigners {
  readonly signers: readonly AllowedSigner[];
  readonly diagnostics: readonly Diagnostic[];
}

const MOST_LINES = 10_000;

/** Reads a list of allowed signers. An invalid line adds no signer, and is reported. */
export function parseAllowedSigners(text: string): AllowedSigners {
  const signers: AllowedSigner[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [index, line] of text.split("\n").slice(0, MOST_LINES).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const read = parseLine(trimmed);
    if (typeof read === "string") diagnostics.push(problem(index + 1, read));
    else signers.push(read);
  }
  return { signers, diagnostics };
}

function problem(line: number, message: string): Diagnostic {
  const fix = "Write: principal [options] key-type base64-key [comment].";
  return { code: "SIGNER_UNREADABLE", severity: "warning", line, column: 1, message, fix };
}

function parseLine(line: string): AllowedSigner | string {
  const [, quoted, plain, after = ""] = /^(?:"([^"]*)"|(\S+))\s+(.*)$/.exec(line) ?? [];
  const principals = (quoted ?? plain ?? "").split(",").filter((each) => each !== "");
  if (principals.length === 0) return "The line has no principal.";
  const { options, rest } = splitOptions(after);
  const [type = "", base64 = "", ...comment] = rest.split(/\s+/);
  const key = readSshKey(Buffer.from(base64, "base64"));
  if (key === undefined || key.type !== type) return `The key of ${principals[0]} cannot be read.`;
  if (options.has("cert-authority")) return `The certificate authority of ${principals[0]} is not supported.`;
  const validAfter = readTime(options.get("valid-after"));
  const validBefore = readTime(options.get("valid-before"));
  if (validAfter === null || validBefore === null) return `The times of ${principals[0]} cannot be read.`;
  const namespaces = options.get("namespaces")?.split(",");
  const keyId = fingerprintOf(key.blob);
  return { principals, namespaces, validAfter, validBefore, key, keyId, comment: comment.join(" ") };
}

const OPTION = /^([a-z-]+)(?:="([^"]*)")?(?:,|\s+|$)/i;
const KEY_TYPE = /^(?:ssh-|ecdsa-|sk-)/;

function splitOptions(text: string): {
  readonly options: ReadonlyMap<string, string>;
  readonly rest: string;
} {
  const options = new Map<string, string>();
  let rest = text;
  while (!KEY_TYPE.test(rest)) {
    const found = OPTION.exec(rest);
    if (found === null || found[0] === "") break;
    options.set((found[1] ?? "").toLowerCase(), found[2] ?? "");
    rest = rest.slice(found[0].length).trimStart();
  }
  return { options, rest };
}

/** `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, read as UTC; null for an invalid time. */
function readTime(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00"] =
    /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?Z?$/.exec(text) ?? [];
  if (year === undefined) return null;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

export interface SignerQuery {
  readonly blob: Uint8Array;
  readonly namespace: string;
  readonly now: Date;
}

/** The signer of a key who may sign in this namespace now; otherwise a text with the reason. */
export function findSigner(
  signers: readonly AllowedSigner[],
  { blob, namespace, now }: SignerQuery,
): AllowedSigner | string {
  const known = signers.filter(({ key }) => key.blob.equals(blob));
  if (known.length === 0) return "its key is not among the allowed signers";
  const named = known.filter(
    ({ namespaces }) => namespaces === undefined || namespaces.some((each) => fits(each, namespace)),
  );
  if (named.length === 0) return `its key may not sign in the namespace ${namespace}`;
  const valid = named.find(
    ({ validAfter, validBefore }) =>
      (validAfter === undefined || validAfter <= now) && (validBefore === undefined || now < validBefore),
  );
  return valid ?? "its key is not valid at this time";
}

/** OpenSSH's patterns: `*` and `?`. */
function fits(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(text);
}
