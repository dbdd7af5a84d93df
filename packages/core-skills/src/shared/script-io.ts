import { inputError } from "./script-error.ts";

/** The environment of a script: everything else follows from its arguments and files. */
export interface ScriptIo {
  /** Relative paths are meant from here. */
  readonly cwd: string;
  write(text: string): void;
  writeError(text: string): void;
  /** Standard input, whole; above the limit it fails. */
  readStdin(maxBytes: number): Promise<Uint8Array>;
}

export function processIo(): ScriptIo {
  return {
    cwd: process.cwd(),
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
    readStdin: (maxBytes) => readStream(process.stdin, maxBytes),
  };
}

async function readStream(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes)
      throw inputError("FILE_TOO_LARGE", `Standard input has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
