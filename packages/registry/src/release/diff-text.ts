import { setImmediate } from "node:timers/promises";
import type { Clock } from "@skillhold/core/port";
import { createTwoFilesPatch } from "diff";

/** What is said of a file's content: its changes as a unified diff, or why there is none. */
export interface TextDiff {
  readonly text?: string;
  readonly note?: "binary" | "too large" | "too different" | "left out";
}

/** Of both sides together; a file beyond it is generated, and nobody reads the diff. */
const MAX_FILE_BYTES = 512 * 1024;
const MAX_TOTAL_TEXT = 2 * 1024 * 1024;
/**
 * Comparing costs the square of the edits, and nothing else is done meanwhile: so many take about 0.1 s. A bound on the
 * time of a file would make its diff depend on how busy the machine is.
 */
const MAX_EDITS = 1000;
const MAX_TOTAL_MS = 5000;
const CONTEXT_LINES = 3;

/** How much text and time a diff of many files may still take. */
export class TextDiffBudget {
  readonly #clock: Clock;
  readonly #startedAt: number;
  #text = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now().getTime();
  }

  /** Why a file of this size is not compared, or undefined when it is. */
  refuse(bytes: number): TextDiff["note"] {
    if (bytes > MAX_FILE_BYTES) return "too large";
    return this.#text >= MAX_TOTAL_TEXT || this.#isLate ? "left out" : undefined;
  }

  spend(text: string): void {
    this.#text += text.length;
  }

  get #isLate(): boolean {
    return this.#clock.now().getTime() - this.#startedAt >= MAX_TOTAL_MS;
  }
}

/**
 * The change of one file; undefined stands for a side that has no such file. It is compared in one go, because a pause
 * for each edit takes longer than the edit; other work has its turn before.
 */
export async function diffText(
  path: string,
  from: Uint8Array | undefined,
  to: Uint8Array | undefined,
  budget: TextDiffBudget,
): Promise<TextDiff> {
  const before = asText(from);
  const after = asText(to);
  if (before === undefined || after === undefined) return { note: "binary" };
  await setImmediate();
  const names = [
    from === undefined ? "/dev/null" : `a/${path}`,
    to === undefined ? "/dev/null" : `b/${path}`,
  ] as const;
  const text = createTwoFilesPatch(...names, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
  if (text === undefined) return { note: "too different" };
  budget.spend(text);
  return { text };
}

/** Text is UTF-8 without NUL, as where resources are read. */
function asText(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return "";
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8.
    return undefined;
  }
}
