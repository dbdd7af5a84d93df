import { refuse } from "./refusal.ts";

const NEWLINE = 0x0a;

/** Puts chunks together to lines, looking at each byte once. A line that gets too long is refused. */
export class LineBuffer {
  readonly #mostBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  take(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.#parts).toString("utf8"));
      this.#parts = [];
      this.#length = 0;
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#mostBytes) {
      this.#parts = [];
      throw refuse("MCP_ANSWER_INVALID", `The server sent a message of more than ${this.#mostBytes} bytes.`);
    }
    if (part.length > 0) this.#parts.push(part);
  }
}
