import type { Readable } from "node:stream";

export interface LineHandlers {
  onLine(line: string): void;
  /** A line went on for more than `maxBytes`. Nothing is read after it. */
  onOverflow(): void;
}

/** Hands over each line of a stream; no more than one line is ever held. */
export function readLines(stream: Readable, maxBytes: number, handlers: LineHandlers): void {
  let parts: Buffer[] = [];
  let length = 0;
  let isOver = false;
  const keep = (part: Buffer): boolean => {
    length += part.length;
    if (length > maxBytes) isOver = true;
    else parts.push(part);
    return !isOver;
  };
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    let start = 0;
    while (!isOver && start < chunk.length) {
      const end = chunk.indexOf(0x0a, start);
      if (!keep(chunk.subarray(start, end < 0 ? chunk.length : end))) {
        parts = [];
        handlers.onOverflow();
      } else if (end >= 0) {
        const line = Buffer.concat(parts).toString("utf8");
        parts = [];
        length = 0;
        handlers.onLine(line);
      }
      start = end < 0 ? chunk.length : end + 1;
    }
  });
}
