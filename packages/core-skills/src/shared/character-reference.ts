import { decodeEntity } from "html-entities";

/** Replaces references with their characters: `&copy;`, `&#169;` and `&#xA9;`. Other text stays unchanged. */
export function decodeReferences(text: string): string {
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string) => {
    if (decimal !== undefined) return fromNumber(Number.parseInt(decimal, 10));
    if (hex !== undefined) return fromNumber(Number.parseInt(hex, 16));
    return decodeEntity(whole, { level: "html5" });
  });
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|[a-zA-Z][a-zA-Z\d]{1,31});/g;

/** Control characters are in no document: office formats break on them. */
function fromNumber(code: number): string {
  if (code === 9 || code === 10 || code === 13) return " ";
  const isControl = code < 32 || (code >= 127 && code < 160);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  const isNone = code > 0x10ffff || (code & 0xfffe) === 0xfffe;
  return isControl || isSurrogate || isNone ? "\uFFFD" : String.fromCodePoint(code);
}
