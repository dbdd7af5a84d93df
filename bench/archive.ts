import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openArchiveFile, unpack, writeArchive } from "@skillhold/core/archive";
import { median } from "./measure.ts";

const FILES = 2000;
const FILE_BYTES = 10_000;
const ROUNDS = 7;

/** Reads all files into memory. Times itself, so that the start of Python is not counted. */
const readAll = {
  zip: "import zipfile,sys,time\ns=time.perf_counter()\nz=zipfile.ZipFile(sys.argv[1])\nall={n:z.read(n) for n in z.namelist()}\nprint((time.perf_counter()-s)*1000)",
  "tar.gz":
    "import tarfile,sys,time\ns=time.perf_counter()\nt=tarfile.open(sys.argv[1])\nall={m.name:t.extractfile(m).read() for m in t}\nprint((time.perf_counter()-s)*1000)",
} as const;

/** Files of one megabyte that do not compress, so gzip uses its fastest level. */
const makeLarge = {
  zip: "import zipfile,sys,os\nz=zipfile.ZipFile(sys.argv[1],'w')\nfor i in range(int(sys.argv[2])): z.writestr(f'skill/{i}.bin',os.urandom(1<<20))\nz.close()",
  "tar.gz":
    "import tarfile,sys,os,io\nt=tarfile.open(sys.argv[1],'w:gz',compresslevel=1)\nfor i in range(int(sys.argv[2])):\n  e=tarfile.TarInfo(f'skill/{i}.bin')\n  e.size=1<<20\n  t.addfile(e,io.BytesIO(os.urandom(1<<20)))\nt.close()",
} as const;
const LARGE_FILES = 200;

/**
 * Compares unpacking with Python's modules, which check much less, in turns in the same run; then says by how much the
 * memory of a process grows that reads the files of a large archive one by one.
 */
export async function benchArchive(): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
  try {
    for (const format of ["zip", "tar.gz"] as const) {
      const start = performance.now();
      const archive = await writeArchive(format, generate());
      const writing = performance.now() - start;
      const path = join(base, `archive.${format}`);
      writeFileSync(path, archive);
      const [ours, python] = await measure(readAll[format], path);
      console.log(
        `archive: ${format}, ${FILES} files, ${(FILES * FILE_BYTES) / 1e6} MB in ${(archive.length / 1e6).toFixed(1)} MB: unpack ${ours.toFixed(0)} ms, python ${python.toFixed(0)} ms, ratio ${(ours / python).toFixed(2)}; write ${writing.toFixed(0)} ms`,
      );
    }
    for (const format of ["zip", "tar.gz"] as const) reportGrowth(base, format);
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

async function measure(script: string, path: string): Promise<readonly [ours: number, python: number]> {
  const ours: number[] = [];
  const python: number[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const start = performance.now();
    const archive = await openArchiveFile(path);
    await unpack(archive);
    await archive.close();
    if (round >= 0) ours.push(performance.now() - start);
    const ms = Number(execFileSync("python3", ["-c", script, path], { encoding: "utf8" }));
    if (round >= 0) python.push(ms);
  }
  return [median(ours), median(python)];
}

function reportGrowth(base: string, format: "zip" | "tar.gz"): void {
  const path = join(base, `large.${format}`);
  execFileSync("python3", ["-c", makeLarge[format], path, String(LARGE_FILES)]);
  const { size } = statSync(path);
  const grown = measureGrowth(path, join(base, `archive.${format}`));
  console.log(
    `archive: ${format}, ${LARGE_FILES} files that do not compress, ${(size / 1e6).toFixed(0)} MB: peak memory grows by ${(grown / 1e6).toFixed(0)} MB, ratio ${(grown / size).toFixed(2)} to the archive`,
  );
  rmSync(path);
}

/** In a process of its own, which has read another archive before, so that code is not counted. */
function measureGrowth(path: string, warmUp: string): number {
  const entry = fileURLToPath(new URL("../packages/core/src/archive/index.ts", import.meta.url));
  const script = `
    import { withLimits } from "@skillhold/protocol/limits";
    import { checkArchive, openArchiveFile } from ${JSON.stringify(entry)};
    const limits = withLimits({ archiveBytes: 500 * 2 ** 20, unpackedBytes: 2 ** 30 });
    async function run(path) {
      const archive = await openArchiveFile(path, { limits });
      for await (const _ of (await checkArchive(archive, { limits })).read());
      await archive.close();
    }
    await run(${JSON.stringify(warmUp)});
    const before = process.resourceUsage().maxRSS;
    await run(${JSON.stringify(path)});
    process.stdout.write(String((process.resourceUsage().maxRSS - before) * 1024));
  `;
  const flags = ["--conditions=@skillhold/source", "--input-type=module", "-e", script];
  return Number(execFileSync(process.execPath, flags, { encoding: "utf8" }));
}
