import { type Io, plain } from "../../terminal/output.ts";

type StreamName = "stdout" | "stderr";

export interface LiveOutput {
  readonly push: (stream: StreamName, chunk: Uint8Array) => void;
  readonly end: () => void;
}

/**
 * Forwards a program's output: unchanged to another program, without control characters to a terminal, because
 * untrusted output could otherwise control it.
 */
export function openLiveOutput({ out, pass, isOutTty, isErrTty }: Io): LiveOutput {
  const streams = {
    stdout: isOutTty ? harmless(out) : { push: out, end: () => {} },
    // `pass` takes text, and the bytes of one character may arrive in two chunks.
    stderr: isErrTty ? harmless(pass) : decoded(pass),
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
  // A CRLF may arrive in two chunks.
  let pending = "";
  const sink = decoded((text) => {
    const whole = (pending + text).replaceAll("\r\n", "\n");
    pending = whole.endsWith("\r") ? "\r" : "";
    write(plain(pending === "" ? whole : whole.slice(0, -1)));
  });
  return {
    push: sink.push,
    end: () => {
      sink.end();
      write(plain(pending));
    },
  };
}
