import { StringDecoder } from "node:string_decoder";
import { launch } from "@skillhold/sandbox/backend";

export interface LineProcess {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Called with each line of the output, also with a last one that has no end. Answers true to stop the program. */
  readonly onLine: (line: string) => boolean;
  readonly signal: AbortSignal;
}

export interface LineProcessEnd {
  readonly code: number | null;
  /** Whether `onLine` stopped it. */
  readonly isStopped: boolean;
  /** The last of what it wrote to its error output. */
  readonly errors: string;
}

const LONGEST_LINE = 32 * 1024 * 1024;
const LONGEST_ERRORS = 4000;

/** Runs a program that prints one JSON document a line. Its whole process group ends with it. */
export async function runLines({ argv, env, cwd, onLine, signal }: LineProcess): Promise<LineProcessEnd> {
  const child = await launch(argv, { env, cwd, signal });
  let isStopped = false;
  let errors = "";
  let rest = "";
  const stop = () => child.kill();
  const read = (line: string) => {
    if (isStopped || line.trim() === "" || !onLine(line)) return;
    isStopped = true;
    stop();
  };
  const decoder = new StringDecoder("utf8");
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) read(line);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(-LONGEST_ERRORS);
  });
  child.stdin.end();
  signal.addEventListener("abort", stop, { once: true });
  try {
    child.exited.then(() => child.killGroup());
    const { code } = await child.ended;
    // The last line need not have an end.
    read(rest + decoder.end());
    return { code, isStopped, errors };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A line as a JSON object, or undefined for anything else. */
export function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return Object.fromEntries(Object.entries(value));
  } catch {
    return undefined;
  }
}
