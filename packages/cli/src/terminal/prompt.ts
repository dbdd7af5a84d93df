import type { Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { SkillError } from "@skillhold/protocol/error";
import type { Tty } from "./tty.ts";

/** Reads a typed line; undefined when the input closes. The terminal handles editing and interrupts. */
export async function askLine(
  { input, output }: Tty,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  return await readAnswer(createInterface({ input, output, terminal: false }), question, signal);
}

/** Reads a typed line without echo. */
export async function askHidden(
  { input, output }: Tty,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  output.write(question);
  // The reader turns the terminal's echo off and echoes to its own output, which discards it.
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
    // `question` never settles when the input ends.
    return await Promise.race([reader.question(question, { signal }), ended.promise]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    reader.close();
  }
}
