// biome-ignore lint/style/noRestrictedImports: the only place that starts a process: LibreOffice and Tesseract, where the machine has them.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ScriptError } from "./script-error.ts";

const OUTPUT_BYTES = 20 * 1024 * 1024;

/** The first of the named programs in the search path or in the given folders; undefined when all are missing. */
export function findProgram(
  names: readonly string[],
  more: readonly string[] = [],
  path = process.env["PATH"] ?? "",
) {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ""), ...more];
  const files = process.platform === "win32" ? names.map((name) => `${name}.exe`) : names;
  return folders
    .flatMap((folder) => files.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}

/** Runs a program without a shell, and without input. Returns its exit code and its output. */
export function runExternal(
  program: string,
  argv: readonly string[],
  timeoutMs: number,
): Promise<{ readonly code: number; readonly stdout: string }> {
  return new Promise((done, fail) => {
    const child = spawn(program, argv, {
      stdio: ["ignore", "pipe", "ignore"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= OUTPUT_BYTES) chunks.push(chunk);
      else child.kill("SIGKILL");
    });
    child.once("error", (error) =>
      fail(new ScriptError("PROGRAM_FAILED", `${program} cannot be started.`, { cause: error })),
    );
    child.once("close", (code) => {
      if (code !== null) done({ code, stdout: Buffer.concat(chunks).toString() });
      else
        fail(new ScriptError("PROGRAM_FAILED", `${program} did not finish in ${timeoutMs / 1000} seconds.`));
    });
  });
}
