import { SkillError } from "@skillhold/protocol/error";

export interface Span {
  readonly start: number;
  /** After the last byte. */
  readonly end: number;
}

/**
 * The part of a file that a request asks for; undefined for all of it. Several parts at once, and what is no range,
 * are answered with the whole, and so is one of a file that is another now.
 */
export function readRange(headers: Headers, size: number, etag: string): Span | undefined {
  const asked = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(headers.get("range") ?? "");
  const condition = headers.get("if-range");
  if (asked === null || (condition !== null && condition !== `"${etag}"`)) return undefined;
  const [first = "", last = ""] = [asked[1], asked[2]];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  if (start < end) return { start, end };
  throw new SkillError("RANGE_REFUSED", `The file has ${size} bytes, and none of those that are asked for.`, {
    details: { size },
  });
}
