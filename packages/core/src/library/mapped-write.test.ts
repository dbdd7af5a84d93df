import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hashSkillFile } from "../bundle/index.ts";
import { BundleReader } from "./bundle-reader.ts";

/** Memory files are never written back, so only the first write through a mapping sets a time. */
const MEMORY = "/dev/shm";
const canMap = existsSync(MEMORY) && spawnSync("python3", ["-c", "import mmap"]).status === 0;

/** Maps a file, writes to it so that its times are set, and at a word writes to it again. */
const WRITER = `
import mmap, sys
with open(sys.argv[1], "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
    mapped[0:1] = mapped[0:1]
    print("mapped", flush=True)
    sys.stdin.readline()
    at = mapped.find(b"good")
    mapped[at:at + 4] = b"evil"
    print("written", flush=True)
    sys.stdin.readline()
`;

let folder: string;
let nowMs: number;
let reader: BundleReader;
let writer: ChildProcess | undefined;
beforeEach(() => {
  nowMs = Date.now() + 60_000;
  reader = new BundleReader(defaultLimits, { now: () => new Date(nowMs) });
  if (!canMap) return;
  folder = join(mkdtempSync(join(MEMORY, "skillhold-mapped-")), "skills/pdf");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), "---\nname: pdf\ndescription: x\n---\ngood\n");
  writeFileSync(join(folder, "forms.md"), "good forms");
});
afterEach(async () => {
  writer?.stdin?.end("\n");
  if (writer !== undefined && writer.exitCode === null) await once(writer, "exit");
  writer = undefined;
  if (canMap) rmSync(dirname(dirname(folder)), { recursive: true, force: true });
});

const access = () => ({ allowHardLinks: false, within: dirname(folder) });
const readForms = (start: number) => reader.readPart(folder, "forms.md", { start, length: 100 }, access());

/** Maps a file of the skill. The returned function writes to it and checks that the times of the file stay the same. */
async function map(path: string): Promise<() => Promise<void>> {
  const file = join(folder, path);
  const started = spawn("python3", ["-c", WRITER, file], { stdio: ["pipe", "pipe", "inherit"] });
  writer = started;
  const printed = outputOf(started);
  await printed("mapped");
  return async () => {
    const { mtimeMs, ctimeMs } = statSync(file);
    started.stdin.write("\n");
    await printed("written");
    expect(statSync(file)).toMatchObject({ mtimeMs, ctimeMs });
  };
}

/** Waits until the writer has printed a word, in however many pieces it arrives. */
function outputOf({ stdout }: ChildProcess): (word: string) => Promise<void> {
  let text = "";
  stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return async (word) => {
    while (!text.includes(`${word}\n`)) await once(stdout ?? process.stdout, "data");
  };
}

// Elsewhere there is no file system that is known never to set a time for such a write.
describe.runIf(canMap)("a write that does not change the file's times", () => {
  test("shows in the skill's text and hashes at once [S-17]", async () => {
    const writeMore = await map("SKILL.md");
    const before = await reader.readSkillFile(folder, "SKILL.md", access());
    await writeMore();
    const after = await reader.readSkillFile(folder, "SKILL.md", access());
    expect(String(after?.bytes)).toContain("evil");
    expect(after?.skillHash).toBe(hashSkillFile(after?.bytes ?? new Uint8Array()));
    expect(after?.treeHash).not.toBe(before?.treeHash);
    expect(await reader.hash(folder, access())).toMatchObject({ treeHash: after?.treeHash });
  });

  test("shows in a file that is read whole, and in its digest [S-26]", async () => {
    const writeMore = await map("forms.md");
    const before = await readForms(0);
    await writeMore();
    const after = await readForms(0);
    expect(String(after.bytes)).toBe("evil forms");
    expect(after.digest).toBe(hashSkillFile(after.bytes));
    expect(after.treeHash).not.toBe(before.treeHash);
  });

  test("shows in the hashes after half a minute, even if another file is edited in between [S-26]", async () => {
    const writeMore = await map("forms.md");
    const before = await readForms(5);
    await writeMore();
    nowMs += 20_000;
    writeFileSync(join(folder, "SKILL.md"), "---\nname: pdf\ndescription: y\n---\ngood\n");
    expect(await readForms(5)).toMatchObject({ digest: before.digest });
    nowMs += 10_000;
    expect(await readForms(5)).toMatchObject({ digest: hashSkillFile(Buffer.from("evil forms")) });
  });
});
