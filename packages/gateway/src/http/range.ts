import { SkillError } from "@skillhold/protocol/error";

export interface FileRange {
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
}

/**
 * The byte range of a request; undefined for the whole file. As RFC 9110 allows, several ranges, an invalid range and an
 * If-Range that does not match also give the whole file.
 */
export function readRange(headers: Headers, size: number, etag: string): FileRange | undefined {
  const match = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(headers.get("range") ?? "");
  const condition = headers.get("if-range");
  if (match === null || (condition !== null && condition !== `"${etag}"`)) return undefined;
  const [first = "", last = ""] = [match[1], match[2]];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  if (start < end) return { start, end };
  throw new SkillError("RANGE_REFUSED", `The range is outside the file, which has ${size} bytes.`, {
    details: { size },
  });
}
