import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Bundle, pack, treeHash } from "@skillhold/core/bundle";
import { withLimits } from "@skillhold/protocol/limits";
import { compare } from "./measure.ts";

/** Compares the tree hash with reading the same files and hashing their bytes, in the same run. */
const cases = [
  {
    name: "10 files, 60 KB",
    sizes: [9000, 1200, 3500, 800, 20_000, 4000, 12_000, 600, 2500, 6400],
    rounds: 400,
  },
  {
    name: "3,000 files, 12 MB",
    sizes: Array.from({ length: 3000 }, (_, at) => 500 + ((at * 37) % 7000)),
    rounds: 15,
  },
  { name: "4 files, 40 MB", sizes: Array.from({ length: 4 }, () => 10_000_000), rounds: 5 },
];

export async function benchTreeHash(): Promise<void> {
  for (const { name, sizes, rounds } of cases) {
    const folder = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
    try {
      writeSkill(folder, sizes);
      const limits = withLimits({ bundleFiles: 10_000 });
      const bundle = await pack(folder, { limits });
      const tasks = [() => hashPlainly(bundle), () => treeHash(bundle), () => pack(folder, { limits })];
      const [plain = 0, tree = 0, packing = 0] = await compare(tasks, rounds);
      const ratio = (tree / plain).toFixed(2);
      console.log(
        `tree hash: ${name}: read + sha256 ${plain.toFixed(2)} ms, tree hash ${tree.toFixed(2)} ms, ratio ${ratio}; packing ${packing.toFixed(2)} ms`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function writeSkill(folder: string, sizes: readonly number[]): void {
  writeFileSync(join(folder, "SKILL.md"), "---\nname: bench\ndescription: A skill to measure with.\n---\n");
  for (const [at, size] of sizes.entries()) {
    const file = join(folder, "references", `part-${at % 20}`, `file-${at}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.alloc(size, at % 251));
  }
}

/** The least that any hash of these bytes must do, in its fastest form. */
function hashPlainly(bundle: Bundle): void {
  for (const file of bundle.files) hash("sha256", readFileSync(file.origin), "hex");
}
