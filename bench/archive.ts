import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpack, writeArchive } from "../packages/core/src/archive/index.ts";
import { median } from "./measure.ts";

const FILES = 2000;
const FILE_BYTES = 10_000;
const ROUNDS = 7;

/** Times itself, so that the start of Python is not counted. */
const extractall = {
  zip: "import zipfile,sys,time\ns=time.perf_counter()\nzipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])\nprint((time.perf_counter()-s)*1000)",
  "tar.gz":
    "import tarfile,sys,time\ns=time.perf_counter()\ntarfile.open(sys.argv[1]).extractall(sys.argv[2])\nprint((time.perf_counter()-s)*1000)",
} as const;

/** Compares unpacking with Python's `extractall`, which checks much less, in turns in the same run. */
export async function benchArchive(): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
  try {
    for (const format of ["zip", "tar.gz"] as const) {
      const start = performance.now();
      const archive = await writeArchive(format, generate());
      const writing = performance.now() - start;
      const path = join(base, `archive.${format}`);
      writeFileSync(path, archive);
      const [ours, python] = await measure(base, archive, extractall[format], path);
      console.log(
        `archive: ${format}, ${FILES} files, ${(FILES * FILE_BYTES) / 1e6} MB in ${(archive.length / 1e6).toFixed(1)} MB: unpack ${ours.toFixed(0)} ms, python extractall ${python.toFixed(0)} ms, ratio ${(ours / python).toFixed(2)}; write ${writing.toFixed(0)} ms`,
      );
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Text that compresses about fourfold, as prose and code do. */
function generate(): readonly {
  readonly path: string;
  readonly executable: boolean;
  readonly content: Buffer;
}[] {
  return Array.from({ length: FILES }, (_, at) => {
    const words = Array.from(
      { length: FILE_BYTES / 10 },
      (__, word) => `w${Math.imul(at * 7919 + word * word, 2654435761) >>> 23}`,
    );
    const content = Buffer.alloc(FILE_BYTES, words.join(" "));
    return { path: `skill/part-${at % 40}/file-${at}.md`, executable: at % 10 === 0, content };
  });
}

async function measure(
  base: string,
  archive: Uint8Array,
  script: string,
  path: string,
): Promise<readonly [ours: number, python: number]> {
  const ours: number[] = [];
  const python: number[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const target = mkdtempSync(join(base, "ours-"));
    const start = performance.now();
    await unpack(archive, target);
    if (round >= 0) ours.push(performance.now() - start);
    rmSync(target, { recursive: true });
    const other = mkdtempSync(join(base, "python-"));
    const ms = Number(execFileSync("python3", ["-c", script, path, other], { encoding: "utf8" }));
    if (round >= 0) python.push(ms);
    rmSync(other, { recursive: true });
  }
  return [median(ours), median(python)];
}
