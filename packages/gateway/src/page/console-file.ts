import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** One file of the console, as it is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the bytes, whichever way they are packed on the wire. */
  readonly tag: string;
  /** Whether its name changes with its bytes. */
  readonly isFixed: boolean;
  /** Packed once, when it is first asked for. Undefined where that would save nothing. */
  readonly pack?: Readonly<Record<Encoding, () => Promise<Uint8Array<ArrayBuffer>>>>;
}

export const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

export interface ConsoleSite {
  readonly index: ConsoleFile;
  /** By the paths of requests. What is not in here is not served. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

/**
 * Reads the console once. Requests are answered from what was there then: no path of a request becomes a path of a disk,
 * and a console that is built anew meanwhile is never half served.
 */
export function readConsole(folder: string): ConsoleSite {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = new Map(found.map((path) => [pathOf(folder, path), readOne(folder, path)]));
  const index = files.get("/index.html");
  if (index === undefined) throw new Error(`${folder} has no index.html`);
  return { index, files };
}

function pathOf(folder: string, path: string): string {
  return `/${relative(folder, path).split(sep).map(encodeURIComponent).join("/")}`;
}

const BINARY = "application/octet-stream";
const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};
/** Less than a packet holds is not made faster. */
const WORTH_PACKING = 1_400;

function readOne(folder: string, path: string): ConsoleFile {
  const bytes = new Uint8Array(readFileSync(path));
  const type = types[extname(path)] ?? BINARY;
  const isText = /^text\/|json$|xml$|wasm$/.test(type);
  return {
    type,
    bytes,
    tag: hash("sha256", bytes, "base64url").slice(0, 22),
    isFixed: pathOf(folder, path).startsWith("/assets/"),
    ...(isText && bytes.length >= WORTH_PACKING ? { pack: packsOf(bytes) } : {}),
  };
}

/** High enough to be small, low enough to keep nobody waiting. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

function packsOf(bytes: Uint8Array): NonNullable<ConsoleFile["pack"]> {
  return {
    br: once(async () => new Uint8Array(await promisify(brotliCompress)(bytes, BROTLI))),
    gzip: once(async () => new Uint8Array(await promisify(gzip)(bytes, { level: 9 }))),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
