import { type Io, plain } from "../../terminal/output.ts";

type StreamName = "stdout" | "stderr";

export interface LiveOutput {
  readonly push: (stream: StreamName, chunk: Uint8Array) => void;
  readonly end: () => void;
}

/**
 * A program's output as it comes: to the byte for another program, without control characters on a terminal, which
 * a stranger's program could otherwise make to show or do something else.
 */
export function openLiveOutput({ out, err, isOutTty, isErrTty }: Io): LiveOutput {
  const streams = {
    stdout: isOutTty ? harmless(out) : { push: out, end: () => {} },
    // What goes to `err` is text; bytes of a character may come in two chunks.
    stderr: isErrTty ? harmless(err) : decoded(err),
  };
  return {
    push: (stream, chunk) => streams[stream].push(chunk),
    end: () => {
      streams.stdout.end();
      streams.stderr.end();
    },
  };
}

interface Sink {
  readonly push: (chunk: Uint8Array) => void;
  readonly end: () => void;
}

function decoded(write: (text: string) => void): Sink {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const pass = (text: string) => {
    if (text !== "") write(text);
  };
  return {
    push: (chunk) => pass(decoder.decode(chunk, { stream: true })),
    end: () => pass(decoder.decode()),
  };
}

function harmless(write: (text: string) => void): Sink {
  // A line break of two characters may come in two chunks.
  let held = "";
  const sink = decoded((text) => {
    const whole = (held + text).replaceAll("\r\n", "\n");
    held = whole.endsWith("\r") ? "\r" : "";
    write(plain(held === "" ? whole : whole.slice(0, -1)));
  });
  return {
    push: sink.push,
    end: () => {
      sink.end();
      write(plain(held));
    },
  };
}
