import fs from "node:fs";
import { flushCompileCache, syncBuiltinESMExports } from "node:module";

/**
 * Loaded into a process by `--import`: kills it just before its n-th change of a file below a folder. With `COPY_FOLDER`, it
 * copies the folder to `<COPY_FOLDER>/<n>` before each change instead: a kill at that moment leaves the same files.
 */
const { KILL_FOLDER = "", KILL_STEP = "0", COPY_FOLDER } = process.env;
let step = 0;
let isCopying = false;

const exactCopy = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true } as const;
type Change = (path: unknown, ...rest: unknown[]) => unknown;
// The functions differ in their other parameters, which pass through.
const functions = fs as unknown as Record<string, Change>;

for (const name of [
  "mkdirSync",
  "mkdtempSync",
  "writeFileSync",
  "openSync",
  "renameSync",
  "rmSync",
  "symlinkSync",
]) {
  const original = functions[name];
  if (original === undefined) throw new Error(`fs.${name} is missing`);
  functions[name] = (path, ...rest) => {
    const isRead = name === "openSync" && (rest[0] === undefined || rest[0] === "r" || rest[0] === 0);
    if (!isCopying && String(path).startsWith(KILL_FOLDER) && !isRead) {
      step += 1;
      if (COPY_FOLDER !== undefined) {
        isCopying = true;
        fs.cpSync(KILL_FOLDER, `${COPY_FOLDER}/${step}`, exactCopy);
        isCopying = false;
      } else if (step === Number(KILL_STEP)) {
        // The next process need not compile the same modules again.
        flushCompileCache();
        process.kill(process.pid, "SIGKILL");
      }
    }
    return original(path, ...rest);
  };
}
syncBuiltinESMExports();
