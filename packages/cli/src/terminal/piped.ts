import { SkillError } from "@skillhold/protocol/error";
import type { Io } from "./output.ts";
import { formatSize } from "./text.ts";

/** Reads piped input up to a size; undefined when the input is a terminal. */
export async function readPiped(
  { input, signal }: Pick<Io, "input" | "signal">,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const stream = input();
  if (stream === undefined) return undefined;
  const stop = () => void stream.destroy();
  signal.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > maxBytes)
        throw new SkillError("LIMIT_EXCEEDED", `The piped input is larger than ${formatSize(maxBytes)}.`);
    }
    signal.throwIfAborted();
    return Buffer.concat(chunks);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
