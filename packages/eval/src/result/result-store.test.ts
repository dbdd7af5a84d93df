import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cleanUp, tempFolder, writeFiles } from "../eval.fixture.ts";
import type { OfflineReport } from "../trigger/offline.ts";
import { ResultStore } from "./result-store.ts";

afterEach(cleanUp);

const report = (at: string, treeHash = "sha256:aa"): OfflineReport => ({
  kind: "offline",
  skill: "pdf",
  treeHash,
  at,
  skills: 3,
  queries: [],
  notes: [],
});

describe("stored results", () => {
  test("are stored by skill and tree hash, and listed by time [S-51]", () => {
    const folder = tempFolder();
    const store = new ResultStore(folder);
    store.save(report("2026-02-01T00:00:00.000Z"));
    const file = store.save(report("2026-01-01T00:00:00.000Z", "sha256:bb"));
    expect(file).toContain(join("pdf", "sha256-bb"));
    expect(store.list("pdf").map(({ at }) => at)).toEqual([
      "2026-01-01T00:00:00.000Z",
      "2026-02-01T00:00:00.000Z",
    ]);
    expect(store.list("mail")).toEqual([]);
  });

  test("leave out files that are not reports, and names that leave the folder [S-51]", () => {
    const folder = tempFolder();
    writeFiles(folder, {
      "store/pdf/x/broken.json": "{",
      "store/pdf/x/other.json": "{}",
      "pdf/x/a.json": JSON.stringify(report("x")),
    });
    const store = new ResultStore(join(folder, "store"));
    expect(store.list("pdf")).toEqual([]);
    expect(store.list("../pdf")).toEqual([]);
  });
});
