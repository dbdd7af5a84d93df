import { chownSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPrivateFile } from "./private-file.ts";

function privateFile(): string {
  const root = mkdtempSync(join(tmpdir(), "skillhold-private-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, "file");
  writeFileSync(path, "x", { mode: 0o600 });
  return path;
}

async function tryOpen(path: string): Promise<string> {
  const handle = await openPrivateFile(path, constants.O_RDONLY, { title: "The file" });
  const text = await handle.readFile("utf8");
  await handle.close();
  return text;
}

const isRoot = process.geteuid?.() === 0;

test.skipIf(process.platform === "win32")("opens a file of the current user [S-33]", async () => {
  await expect(tryOpen(privateFile())).resolves.toBe("x");
});

test.runIf(isRoot)("rejects a file of another user, even a private one [S-33]", async () => {
  const path = privateFile();
  chownSync(path, 65534, 65534);
  const refusal = { code: "CONFIG_INVALID", message: expect.stringContaining("belongs to another user") };
  await expect(tryOpen(path)).rejects.toMatchObject(refusal);
});

test.runIf(isRoot)("opens a readable file of root [S-33]", async () => {
  const path = privateFile();
  const geteuid = vi.spyOn(process, "geteuid").mockReturnValue(1000);
  onTestFinished(() => geteuid.mockRestore());
  await expect(tryOpen(path)).resolves.toBe("x");
  chownSync(path, 1001, 1001);
  await expect(tryOpen(path)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  chownSync(path, 1000, 1000);
  await expect(tryOpen(path)).resolves.toBe("x");
});
