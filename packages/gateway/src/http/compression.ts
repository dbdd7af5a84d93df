import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

/** The smallest encoding that the client accepts. */
export function chooseEncoding(accepted: string | null): Encoding | undefined {
  const accepts = new Set(
    (accepted ?? "")
      .toLowerCase()
      .split(",")
      .map((part) => part.trim().split(/\s*;\s*/))
      .filter(([, weight]) => !/^q=0(?:\.0*)?$/.test(weight ?? ""))
      .map(([name]) => name),
  );
  return encodings.find((each) => accepts.has(each));
}

/** Each encoding of a representation has its own strong tag. A plus never occurs in other tags. */
export function encodedTag(tag: string, encoding: Encoding): string {
  return `${tag}+${encoding}`;
}

/** The tag without its encoding. */
export function plainTag(tag: string): string {
  return tag.replace(/\+(?:br|gzip)$/, "");
}

/** A shorter body gains less than the compression takes. */
export const MIN_COMPRESSED = 2048;

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

const compressors: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  // Quality 4 is faster than gzip and smaller.
  br: (bytes) => packBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => packGzip(bytes, { level: 5 }),
};

/** Compressed forms of bodies that the response cache keeps. */
const known = new WeakMap<Uint8Array, Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>>();

/** Compresses a body once per encoding while the body is in memory. Contract: the bytes never change. */
export async function compress(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const forms = known.get(bytes) ?? new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  known.set(bytes, forms);
  const form = forms.get(encoding) ?? compressors[encoding](bytes).then((packed) => new Uint8Array(packed));
  forms.set(encoding, form);
  return await form;
}
