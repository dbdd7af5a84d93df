import { closeSync, constants, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";

/** The user's terminal, even when the standard streams are redirected. */
export interface Tty {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly close: () => void;
}

/** Opens the user's terminal; undefined for a process without one, such as a scheduled job. */
export function openTty(platform: string = process.platform): Tty | undefined {
  if (platform === "win32") return openConsole();
  const opened: number[] = [];
  try {
    const flags = constants.O_RDWR | constants.O_NOCTTY;
    opened.push(openSync("/dev/tty", flags), openSync("/dev/tty", flags));
    const [reading = 0, writing = 0] = opened;
    const input = new ReadStream(reading);
    const output = new WriteStream(writing);
    return { input, output, close: () => [input, output].forEach((stream) => void stream.destroy()) };
  } catch {
    // The process has no terminal.
    for (const fd of opened) closeSync(fd);
    return undefined;
  }
}

function openConsole(): Tty | undefined {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return { input: stdin, output: stderr, close: () => void stdin.pause() };
}
