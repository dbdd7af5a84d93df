import { type Io, plain } from "./output.ts";

/** `1 skill`, `2 skills`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Text of a skill: unchanged for a program, without control characters on a terminal. */
export function forReader(io: Pick<Io, "isOutTty">, text: string): string {
  return io.isOutTty ? plain(text.replaceAll("\r\n", "\n")) : text;
}

/** Bytes for people. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [size, unit] = bytes < 1024 * 1024 ? [bytes / 1024, "KB"] : [bytes / 1024 / 1024, "MB"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** Color functions, which return plain text when color is off. */
export async function paintFor(isColored: boolean) {
  const { default: picocolors } = await import("picocolors");
  return picocolors.createColors(isColored);
}
