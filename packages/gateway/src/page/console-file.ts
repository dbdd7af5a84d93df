import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Encoding } from "../http/compression.ts";

/** One file of the console. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The hash of the uncompressed bytes. */
  readonly tag: string;
  /** Whether the name contains a hash of the bytes, so that clients may cache it forever. */
  readonly isFixed: boolean;
  /** Compresses on first use; undefined when compression saves no bytes. */
  readonly pack?: Readonly<Record<Encoding, () => Promise<Uint8Array<ArrayBuffer>>>>;
}

export interface ConsoleSite {
  readonly index: ConsoleFile;
  /** By request path; no other file is served. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

/**
 * Reads the console once, at start. Request paths never become file paths, and a rebuild during operation cannot mix two
 * versions.
 */
export function readConsole(folder: string): ConsoleSite {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = new Map(paths.map((path) => [pathOf(folder, path), readOne(folder, path)]));
  const index = files.get("/index.html");
  if (index === undefined) throw new Error(`The console folder ${folder} has no index.html.`);
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
/** A file that fits into one packet gains no speed. */
const MIN_COMPRESSED = 1_400;

function readOne(folder: string, path: string): ConsoleFile {
  const bytes = new Uint8Array(readFileSync(path));
  const type = types[extname(path)] ?? BINARY;
  const isText = /^text\/|json$|xml$|wasm$/.test(type);
  return {
    type,
    bytes,
    tag: hash("sha256", bytes, "base64url").slice(0, 22),
    isFixed: pathOf(folder, path).startsWith("/assets/"),
    ...(isText && bytes.length >= MIN_COMPRESSED ? { pack: packsOf(bytes) } : {}),
  };
}

/** Quality 9 compresses well and is fast enough for a first request. */
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
