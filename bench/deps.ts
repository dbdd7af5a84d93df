import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Bundle, pack } from "@skillhold/core/bundle";
import { cacheRuntimes, checkDependencies, folderSubject, prepareCheck } from "@skillhold/deps/environment";
import { scanBundle } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { bubblewrap } from "@skillhold/sandbox/test/backend/bubblewrap";
import { compare } from "./measure.ts";

/**
 * Skills a second: scanned for dependencies, against reading the bytes of the same files. Then milliseconds a skill:
 * all checked in one call, against a call for each.
 */
export async function benchDeps(sizes: readonly number[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-deps-"));
  try {
    chmodSync(folder, 0o755);
    const generated = generate(folder, sizes[0] ?? 200);
    await measureScan("corpus", corpusFolders());
    await measureScan("generated", generated);
    await measureCheck(generated);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureScan(name: string, folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const bundles = await Promise.all(folders.map((each) => pack(each)));
  const [read = 0, scan = 0] = await compare([() => bundles.forEach(readFiles), () => scanAll(bundles)], 10);
  const rate = (ms: number) => Math.round((bundles.length * 1000) / ms);
  console.log(
    `deps: ${name}, ${bundles.length} skills: read ${rate(read)}/s, scan ${rate(scan)}/s, ratio ${(scan / read).toFixed(1)}`,
  );
}

function readFiles(bundle: Bundle): void {
  for (const { origin } of bundle.files) readFileSync(origin);
}

async function scanAll(bundles: readonly Bundle[]): Promise<void> {
  for (const bundle of bundles) await scanBundle(bundle);
}

/** Each by itself takes long: of those, a part is measured. */
const SINGLE = 20;

async function measureCheck(folders: readonly string[]): Promise<void> {
  const ports = { sandbox: bubblewrap(), findRuntime: cacheRuntimes(), limits: defaultLimits };
  const probe = await ports.sandbox.probe();
  if (!probe.isAvailable) return console.log("deps: nothing is checked where there is no sandbox");
  const subjects = await Promise.all(folders.map((folder) => folderSubject(folder)));
  const requests = await Promise.all(
    subjects.map(async (subject) => (await prepareCheck(subject, ports)).request),
  );
  const single = requests.slice(0, SINGLE);
  const [batch = 0, each = 0] = await compare(
    [
      () => checkDependencies(requests, ports),
      async () => {
        for (const request of single) await checkDependencies([request], ports);
      },
    ],
    3,
  );
  const perSkill = [batch / requests.length, each / single.length] as const;
  console.log(
    `deps: check of ${requests.length} skills, ms a skill: in one call ${perSkill[0].toFixed(1)}, a call each ${perSkill[1].toFixed(1)}, ratio ${(perSkill[1] / perSkill[0]).toFixed(0)}`,
  );
}

function corpusFolders(): readonly string[] {
  const root = resolve(import.meta.dirname, "../../shared/corpus/text");
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(root).flatMap((id) => readdirSync(join(root, id)).map((name) => join(root, id, name)));
}

/** The public test data has no scripts: skills with one of each language, of the usual size. */
function generate(root: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const folder = join(root, `skill-${index}`);
    mkdirSync(join(folder, "scripts"), { recursive: true });
    const files = {
      "SKILL.md": `---\nname: skill-${index}\ndescription: A skill.\n---\n${"A line of instructions.\n".repeat(100)}`,
      "requirements.txt": "requests>=2\npyyaml\n",
      "scripts/run.py": `import requests\nimport yaml\n${"\n\ndef work(a, b):\n    c = [a + n for n in range(b)]\n    return {'x': c, 'y': f'{a}'}\n".repeat(40)}`,
      "scripts/build.mjs": `import { marked } from "marked";\n${"\nexport function work(a, b) {\n  return a.map((n) => ({ n, b }));\n}\n".repeat(40)}`,
      "scripts/all.sh": `#!/bin/bash\nset -e\n${'for f in *.json; do\n  jq . "$f" > out || echo "$f"\ndone\n'.repeat(10)}`,
    };
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    return folder;
  });
}
