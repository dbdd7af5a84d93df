import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { SkillError } from "@skillhold/protocol/error";
import type { Tty } from "./tty.ts";

/** A line that the person types, or undefined when they close the input. The terminal edits and interrupts by itself. */
export async function askLine(
  { input, output }: Tty,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  return await readAnswer(createInterface({ input, output, terminal: false }), question, signal);
}

/** The same without showing what is typed. */
export async function askHidden(
  { input, output }: Tty,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  output.write(question);
  // The reader switches the terminal's echo off, and shows what is typed by itself: here, to nobody.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  const interrupted = new AbortController();
  reader.once("SIGINT", () => interrupted.abort(new SkillError("INTERRUPTED", "interrupted")));
  try {
    return await readAnswer(reader, "", AbortSignal.any([signal, interrupted.signal]));
  } finally {
    output.write("\n");
  }
}

async function readAnswer(
  reader: Interface,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ended = Promise.withResolvers<undefined>();
  reader.once("close", () => ended.resolve(undefined));
  try {
    // A question is never answered when the input ends.
    return await Promise.race([reader.question(question, { signal }), ended.promise]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    reader.close();
  }
}
