import type { OptionTable } from "./command.ts";
import { usageError } from "./script-error.ts";

/** The options of a command that answers with text, which may be long. */
export const textOptions = {
  limit: { type: "string", value: "n", help: "At most this many characters of text (default 20000)" },
  offset: { type: "string", value: "n", help: "Leave out this many characters first, to read on" },
} as const satisfies OptionTable;

const TEXT_LENGTH = 20_000;
const MAX_TEXT_LENGTH = 200_000;

export interface TextRequest {
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
}

/** A part of a text, with the offset for the next part. */
export type BoundedText = {
  readonly text: string;
  readonly totalLength: number;
  readonly truncated: boolean;
  /** Give this as `--offset` to read on. */
  readonly nextOffset?: number;
};

/** How much of a text an answer reaches: who reads page by page can stop there. */
export function reachOf(request: TextRequest): number {
  return readLimit(request) + readOffset(request);
}

/** Cuts a text to what `--limit` and `--offset` ask for. Never cuts a character in two. */
export function boundText(text: string, request: TextRequest): BoundedText {
  const offset = readOffset(request);
  const end = atCharacter(text, offset + readLimit(request));
  const part = text.slice(atCharacter(text, offset), end);
  if (end >= text.length) return { text: part, totalLength: text.length, truncated: false };
  return { text: part, totalLength: text.length, truncated: true, nextOffset: end };
}

function readLimit({ limit }: TextRequest): number {
  return readInteger("limit", limit, { min: 1, max: MAX_TEXT_LENGTH }) ?? TEXT_LENGTH;
}

function readOffset({ offset }: TextRequest): number {
  return readInteger("offset", offset, { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
}

/** The first items of a list, and how many there are. */
export function boundList<Item>(
  items: readonly Item[],
  limit: number,
): { readonly items: readonly Item[]; readonly total: number; readonly truncated: boolean } {
  return { items: items.slice(0, limit), total: items.length, truncated: items.length > limit };
}

/** Shortens what a stranger wrote (names, titles, cells) to fit into an answer. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, atCharacter(text, length - 1))}…`;
}

/** Reads a whole number from an option; undefined when it was not given. */
export function readInteger(
  name: string,
  value: string | undefined,
  range: { readonly min: number; readonly max: number },
): number | undefined {
  if (value === undefined) return undefined;
  const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= range.min && number <= range.max) return number;
  throw usageError(`--${name} is a whole number from ${range.min} to ${range.max}, not ${clip(value, 40)}.`);
}

/** The index itself, or the one before where it would part a surrogate pair. */
function atCharacter(text: string, index: number): number {
  const isPair = isSurrogate(text, index - 1, 0xd800) && isSurrogate(text, index, 0xdc00);
  return isPair ? index - 1 : Math.min(index, text.length);
}

function isSurrogate(text: string, index: number, first: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= first && unit < first + 0x400;
}
