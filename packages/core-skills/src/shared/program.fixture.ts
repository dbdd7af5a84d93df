import { type Program, runProgram } from "./program.ts";

/** What a program did, as its caller sees it. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The answer, or the failure. */
  readonly json: unknown;
}

/** Runs a program in this process, in a folder of its own. */
export async function callProgram(
  program: Program,
  argv: readonly string[],
  options: { readonly cwd: string; readonly stdin?: string },
): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  const code = await runProgram(program, argv, {
    cwd: options.cwd,
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
    readStdin: async () => Buffer.from(options.stdin ?? ""),
  });
  const line = stdout === "" ? stderr : stdout;
  return { code, stdout, stderr, json: line.startsWith("{") ? JSON.parse(line) : undefined };
}
