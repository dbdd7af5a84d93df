import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeHost, runMain, skillText, writeFile } from "../../fake-host.ts";
import { main } from "../../main.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-watch-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Covers the quiet period, a rescan and a slow machine. */
const patience = { timeout: 120_000, interval: 50 };

describe("watch", () => {
  test("prints changed, added, removed and broken skills as they happen, until interrupted [S-18] [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "one"));
    const { texts, emit, ended } = start("watch", "--root", "skills");
    await vi.waitFor(
      () => expect(texts().err).toMatch(/^1 skill in 1 source \(mode (?:watch|poll)\)/),
      patience,
    );
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "two"));
    await vi.waitFor(() => expect(texts().out).toMatch(/^\d\d:\d\d:\d\d ~pdf\n$/), patience);
    writeFile(root, "skills/mail/SKILL.md", skillText("mail", "x"));
    await vi.waitFor(() => expect(texts().out).toContain(" +mail\n"), patience);
    writeFile(root, "skills/pdf/SKILL.md", "broken\n");
    await vi.waitFor(() => expect(texts().out).toContain(" !pdf: The file does not start"), patience);
    rmSync(join(root, "skills/mail"), { recursive: true });
    await vi.waitFor(() => expect(texts().out).toContain(" -mail\n"), patience);
    emit("SIGINT");
    expect(await ended).toBe(130);
    expect(texts().err).not.toContain("error");
  });

  test("prints one JSON document per line [S-18] [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "one"));
    const { texts, emit, ended } = start("watch", "--json");
    const lines = () => texts().out.trimEnd().split("\n");
    await vi.waitFor(() => expect(texts().out).not.toBe(""), patience);
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "two"));
    await vi.waitFor(() => expect(lines()).toHaveLength(2), patience);
    emit("SIGINT");
    expect(await ended).toBe(130);
    expect(lines().map((line) => JSON.parse(line))).toEqual([
      { ok: true, data: { skills: 1, mode: expect.stringMatching(/^(?:watch|poll)$/) } },
      {
        ok: true,
        data: { at: expect.stringMatching(/Z$/), added: [], changed: ["pdf"], removed: [], broken: [] },
      },
    ]);
    expect(texts().err).toBe("");
  });

  test("exits with an error when there is no folder to watch [S-60]", async () => {
    expect(await runMain(["watch"], root)).toMatchObject({
      code: 5,
      out: "",
      err: expect.stringContaining("No folder with skills to watch was found."),
    });
  });
});

function start(...argv: readonly string[]) {
  const { host, texts, emit } = fakeHost(root);
  return { texts, emit, ended: main(argv, host) };
}
