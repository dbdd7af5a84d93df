import {
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SkillEvent } from "@skillhold/protocol";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { Host } from "@skillhold/skill";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { IndexCache } from "../index-cache.ts";
import { FolderRow } from "../source/scan-row.ts";
import { decodeScan, encodeScan } from "../source/scan-snapshot.ts";
import { anyone, FakeFolders, fullHost } from "./fake-folders.ts";
import type { Viewer } from "./viewer.ts";

let folders: FakeFolders;
beforeEach(() => {
  folders = new FakeFolders();
});
afterEach(() => folders.close());

describe("a named folder with only tools", () => {
  const named = () => ({ ...folders.source("counter"), isNamed: true });

  test("is a skill with generated instructions that can be read, searched and copied [S-9]", async () => {
    folders.write("counter/tools/count.mjs", "export default {};");
    const cache = new CountingCache();
    for (const start of ["first", "cached"]) {
      const library = await folders.open([named()], { cache });
      const [entry] = await library.list(anyone);
      expect([start, entry?.id, entry?.type, entry?.description]).toEqual([
        start,
        "counter",
        "tool",
        "Tools: count.",
      ]);
      const read = await library.read(anyone, "counter");
      expect(read.files.map(({ path }) => path)).toEqual(["tools/count.mjs"]);
      const part = await library.resource(anyone, "counter", "tools/count.mjs");
      expect(part).toMatchObject({ treeHash: read.treeHash });
      expect((await library.search(anyone, "count")).map(({ entry: { id } }) => id)).toEqual(["counter"]);
      await library.close();
    }
    folders.write("counter/tools/sum.mjs", "export default {};");
    const library = await folders.open([named()], { cache });
    expect((await library.read(anyone, "counter")).entry.description).toBe("Tools: count, sum.");
    await library.close();
  });

  test("is rejected by strict loading, and ignored if it contains skills or is not named [S-9]", async () => {
    folders.write("counter/tools/count.mjs", "export default {};");
    const listed = async (source: ReturnType<typeof named>) => {
      const library = await folders.open([source]);
      const ids = (await library.list(anyone)).map(({ id }) => id);
      await library.close();
      return ids;
    };
    expect(await listed(named())).toEqual(["counter"]);
    expect(await listed({ ...named(), strict: true })).toEqual([]);
    expect(await listed({ ...named(), isNamed: false })).toEqual([]);
    folders.skill("counter/inner");
    expect(await listed(named())).toEqual(["inner"]);
  });
});

describe("searched files", () => {
  test("finds a reference below any folder, and sees its edit at the next start [S-61]", async () => {
    folders.skill("skills/a");
    folders.skill("skills/b");
    folders.write("skills/a/references/deep/er/x.md", "About penguins.");
    folders.write("skills/a/scripts/notes.md", "About lemurs.");
    const cache = new CountingCache();
    const found = async (word: string) => {
      const library = await folders.open([folders.source("skills")], { cache });
      const ids = (await library.search(anyone, word)).map(({ entry }) => entry.id);
      await library.close();
      return ids;
    };
    expect(await found("penguins")).toEqual(["a"]);
    expect(await found("lemurs")).toEqual([]);
    folders.write("skills/a/references/deep/er/x.md", "About some walruses.");
    expect([await found("penguins"), await found("walruses")]).toEqual([[], ["a"]]);
    folders.write("skills/b/guide.md", "About walruses and zebras.");
    expect(await found("zebras")).toEqual(["b"]);
    rmSync(join(folders.root, "skills/b/guide.md"));
    expect(await found("zebras")).toEqual([]);
  });

  test("reads up to 8 KB of a reference, and no link [S-26] [S-61]", async () => {
    folders.skill("skills/a");
    folders.write("skills/a/references/x.md", `Penguins. ${"More words. ".repeat(1000)} Walruses.`);
    folders.write("outside/y.md", "Zebras.");
    symlinkSync(join(folders.root, "outside/y.md"), join(folders.root, "skills/a/references/y.md"));
    symlinkSync(join(folders.root, "outside"), join(folders.root, "skills/a/references/z"));
    const library = await folders.open([folders.source("skills")]);
    const counts = [];
    for (const word of ["penguins", "walruses", "zebras"])
      counts.push((await library.search(anyone, word)).length);
    expect(counts).toEqual([1, 0, 0]);
  });
});

describe("sources", () => {
  test("trust and label come from the source, not from the skill [S-14]", async () => {
    folders.write(
      "skills/a/SKILL.md",
      "---\nname: a\ndescription: x\ntrust: builtin\nsource: builtin\n---\n",
    );
    const library = await folders.open([folders.source("skills", { trust: "third_party" })]);
    expect(await library.find(anyone, "a")).toMatchObject({ trust: "third_party", source: "skills" });
  });

  test("a root may be a skill, skills may be nested, and _ folders are never skills [S-14]", async () => {
    for (const path of ["root", "root/inner", "root/deep/er/nested", "root/_shared"]) folders.skill(path);
    const library = await folders.open([folders.source("root")]);
    expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["inner", "nested", "root"]);
  });

  test("the nearest source wins in local order and the most trusted in trust order; losers are reported [S-15]", async () => {
    for (const folder of ["project", "home", "builtin", "stranger"])
      folders.skill(`${folder}/pdf`, `description: from ${folder}`);
    const sources = [
      folders.source("builtin", { kind: "builtin", trust: "builtin" }),
      folders.source("stranger", { kind: "project", trust: "third_party" }),
      folders.source("home", { kind: "user", trust: "user" }),
      folders.source("project", { kind: "project", trust: "user" }),
    ];
    const local = await folders.open(sources, { precedence: "local" });
    expect((await local.find(anyone, "pdf"))?.description).toBe("from project");
    const trust = await folders.open(sources, { precedence: "trust" });
    expect((await trust.find(anyone, "pdf"))?.description).toBe("from builtin");
    const explained = await local.explain(anyone, "pdf");
    expect(explained.map(({ source: label, state }) => [label, state])).toEqual([
      ["project", "visible"],
      ["home", "shadowed"],
      ["builtin", "shadowed"],
      ["stranger", "shadowed"],
    ]);
    expect(explained[1]?.message).toContain("project");
  });

  test("an invalid skill shadows nothing [S-15]", async () => {
    folders.write("near/pdf/SKILL.md", "broken");
    folders.skill("far/pdf");
    const library = await folders.open([
      folders.source("near", { kind: "workspace" }),
      folders.source("far"),
    ]);
    expect(await library.find(anyone, "pdf")).toMatchObject({ source: "far" });
    expect((await library.explain(anyone, "pdf")).map(({ state }) => state)).toEqual(["visible", "invalid"]);
  });

  test("reports two folders with one id in a source as a collision [S-5]", async () => {
    folders.skill("skills/My Skill");
    const named = folders.skill("skills/my-skill");
    const library = await folders.open([folders.source("skills")]);
    expect(await library.list(anyone)).toHaveLength(1);
    expect((await library.find(anyone, "my-skill"))?.path).toBe(realpathSync(dirname(named)));
    expect((await library.explain(anyone, "my-skill")).map(({ state }) => state).sort()).toEqual([
      "shadowed",
      "visible",
    ]);
  });

  test("a source with a missing folder is empty, and fills when it appears [S-18]", async () => {
    const library = await folders.open([folders.source("later")]);
    expect(await library.list(anyone)).toEqual([]);
    folders.skill("later/a");
    await library.reload();
    expect(await library.list(anyone)).toHaveLength(1);
  });

  test("the host decides readiness from the requirements [S-8]", async () => {
    folders.skill("skills/a", "description: x\nmetadata: {openclaw: {requires: {env: [KEY], bins: [git]}}}");
    const bare: Host = { ...fullHost, hasEnv: () => false };
    const library = await folders.open([folders.source("skills")], { host: bare });
    expect(await library.find(anyone, "a")).toMatchObject({ readiness: { state: "needs-config" } });
    expect((await library.explain(anyone, "a"))[0]).toMatchObject({
      state: "visible",
      warnings: [expect.stringContaining("KEY")],
    });
  });
});

describe("the cache", () => {
  test("a second start reads no unchanged file [S-17]", async () => {
    for (const id of ["a", "b", "c"]) folders.skill(`skills/${id}`);
    const cache = new CountingCache();
    await folders.open([folders.source("skills")], { cache });
    expect(cache.saves).toBe(1);
    // A cache that says otherwise than the files shows which of the two was asked.
    for (const [key, bytes] of cache.kept) {
      const scan = decodeScan(bytes, defaultLimits);
      if (scan === undefined) throw new Error("the cache holds no scan");
      const rows = scan.rows.map((row) => {
        const [name, , ...rest] = row.facts;
        const facts = [name, "From the cache.", ...rest] as const;
        return new FolderRow(row.path, row.file, { stamp: row, facts, isValid: row.isValid });
      });
      cache.kept.set(key, encodeScan({ ...scan, rows }, defaultLimits));
    }
    const library = await folders.open([folders.source("skills")], { cache });
    expect((await library.list(anyone)).map(({ description }) => description)).toEqual(
      Array(3).fill("From the cache."),
    );
    expect(cache.saves).toBe(1);
  });

  test("a second start sees edited, added and removed skills [S-17]", async () => {
    for (const id of ["a", "b", "c"]) folders.skill(`skills/${id}`);
    const cache = new CountingCache();
    await folders.open([folders.source("skills")], { cache });
    folders.skill("skills/a", "description: newer");
    folders.skill("skills/d");
    rmSync(join(folders.root, "skills/b"), { recursive: true });
    const library = await folders.open([folders.source("skills")], { cache });
    expect((await library.list(anyone)).map(({ id, description }) => [id, description])).toEqual([
      ["a", "newer"],
      ["c", "Does things."],
      ["d", "Does things."],
    ]);
  });

  test("lists, finds and explains the same skills on the first and the second start [S-16] [S-17] [S-7]", async () => {
    folders.skill("skills/open");
    folders.skill("skills/for-hermes", "description: x\nruntime: hermes");
    folders.skill("skills/for-mac", 'description: x\nmetadata: {"openclaw":{"os":["darwin"]}}');
    folders.skill("skills/by-user", "description: x\ndisable-model-invocation: true");
    folders.skill("skills/by-model", "description: x\nuser-invocable: false");
    folders.skill("skills/broken", "license: MIT");
    folders.skill("skills/Odd Name");
    const viewers: readonly (Viewer & { readonly sees: readonly string[] })[] = [
      { ...anyone, sees: ["by-model", "odd-name", "open"] },
      { ...anyone, invoker: "user", sees: ["by-user", "odd-name", "open"] },
      { runtime: "hermes", sees: ["by-model", "for-hermes", "odd-name", "open"] },
      { ...anyone, allow: ["open", "for-mac"], sees: ["open"] },
      { ...anyone, pins: { open: 3 }, sees: ["by-model", "odd-name"] },
    ];
    const settings = { disabledFolders: new Set<string>() };
    const cache = new CountingCache();
    const seen: unknown[] = [];
    for (const _ of ["cold", "warm"]) {
      const library = await folders.open([folders.source("skills")], { cache, settings });
      for (const { sees, ...viewer } of viewers) {
        const listed = await library.list(viewer);
        expect(listed.map(({ id }) => id)).toEqual(sees);
        for (const entry of listed) expect(await library.find(viewer, entry.id)).toEqual(entry);
        const explained = await library.explain(viewer);
        expect(explained.filter(({ state }) => state === "visible").map(({ id }) => id)).toEqual(sees);
        seen.push(JSON.stringify([listed, explained]));
      }
    }
    expect(seen.slice(viewers.length)).toEqual(seen.slice(0, viewers.length));
    settings.disabledFolders.add("open");
    const library = await folders.open([folders.source("skills")], { cache, settings });
    expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["by-model", "odd-name"]);
    expect(cache.saves).toBe(1);
  });

  test("never serves the old text for an edit with times set back [S-17]", async () => {
    const file = folders.skill("skills/a", "description: x", "Old text.\n");
    const cache = new CountingCache();
    const library = await folders.open([folders.source("skills")], { cache });
    await library.list(anyone);
    const { atime, mtime } = statSync(file);
    writeFileSync(file, readFileSync(file, "utf8").replace("Old", "New"));
    utimesSync(file, atime, mtime);
    expect((await library.read(anyone, "a")).body).toBe("New text.\n");
    const again = await folders.open([folders.source("skills")], { cache });
    expect((await again.read(anyone, "a")).body).toBe("New text.\n");
  });

  test("does not serve a skill whose runtime changed after indexing [S-7] [S-17]", async () => {
    folders.skill("skills/a");
    const library = await folders.open([folders.source("skills")]);
    folders.write("skills/a/references/x.md", "x");
    await library.list(anyone);
    expect((await library.resource(anyone, "a", "references/x.md")).content).toBe("x");
    folders.skill("skills/a", "description: x\nruntime: hermes");
    await expect(library.resource(anyone, "a", "references/x.md")).rejects.toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
    folders.skill("skills/a", "description: x");
    await library.reload();
    expect((await library.resource(anyone, "a", "references/x.md")).content).toBe("x");
    folders.skill("skills/a", "description: x\nruntime: hermes");
    await expect(library.read(anyone, "a")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  });

  test("follows a root link to its current target [S-17]", async () => {
    folders.skill("one/a");
    folders.skill("two/b");
    symlinkSync("one", join(folders.root, "current"));
    const cache = new CountingCache();
    await folders.open([folders.source("current")], { cache });
    rmSync(join(folders.root, "current"));
    symlinkSync("two", join(folders.root, "current"));
    const library = await folders.open([folders.source("current")], { cache });
    expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["b"]);
  });

  test("searches again a root that was missing or empty at an earlier start [S-17]", async () => {
    const cache = new CountingCache();
    await folders.open([folders.source("skills")], { cache });
    folders.skill("skills/a");
    const library = await folders.open([folders.source("skills")], { cache });
    expect(await library.list(anyone)).toHaveLength(1);
  });

  test("finds a new nested skill on a reload, and on a start an hour later [S-17]", async () => {
    folders.skill("skills/a");
    const cache = new CountingCache();
    let now = new Date("2026-01-01T00:00:00Z");
    const ports = { audit: { record: () => {} }, clock: { now: () => now } };
    await folders.open([folders.source("skills")], { cache, ports });
    folders.skill("skills/a/inner");
    now = new Date("2026-01-01T01:00:01Z");
    const library = await folders.open([folders.source("skills")], { cache, ports });
    expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["a", "inner"]);
  });

  test("added tools make a skill hybrid [S-9] [S-17]", async () => {
    folders.skill("skills/a");
    const library = await folders.open([folders.source("skills")]);
    expect((await library.find(anyone, "a"))?.type).toBe("context");
    folders.write("skills/a/tools/add.py", "");
    await library.reload();
    expect((await library.find(anyone, "a"))?.type).toBe("hybrid");
    rmSync(join(folders.root, "skills/a/tools"), { recursive: true });
    await library.reload();
    expect((await library.find(anyone, "a"))?.type).toBe("context");
  });

  test("damaged cache bytes cost only a rescan [S-17]", async () => {
    folders.skill("skills/a");
    const cache = new CountingCache();
    await folders.open([folders.source("skills")], { cache });
    const [[key, bytes] = ["", new Uint8Array()]] = cache.kept;
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, value) => {
        const damaged = Uint8Array.from(bytes);
        damaged[at] = value;
        cache.kept.set(key, fc.sample(fc.boolean(), 1)[0] ? damaged : damaged.subarray(0, at));
        const library = await folders.open([folders.source("skills")], { cache });
        expect(await library.list(anyone)).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });
});

class CountingCache implements IndexCache {
  readonly kept = new Map<string, Uint8Array>();
  saves = 0;
  load(key: string): Uint8Array | undefined {
    return this.kept.get(key)?.slice();
  }
  save(key: string, bytes: Uint8Array): void {
    this.saves += 1;
    this.kept.set(key, bytes);
  }
}

describe("what lies on a disk", () => {
  test("a SKILL.md that links to itself is one invalid skill among others [S-16] [S-19]", async () => {
    folders.skill("skills/ok");
    mkdirSync(join(folders.root, "skills/bad"));
    symlinkSync("SKILL.md", join(folders.root, "skills/bad/SKILL.md"));
    const library = await folders.open([folders.source("skills")]);
    expect((await library.explain(anyone)).map(({ id, state }) => [id, state])).toEqual([
      ["ok", "visible"],
      ["bad", "invalid"],
    ]);
  });

  test("reports a removed skill without its path [S-26]", async () => {
    folders.skill("skills/a");
    const file = folders.skill("skills/b");
    const library = await folders.open([folders.source("skills")]);
    await library.list(anyone);
    rmSync(join(folders.root, "skills/a"), { recursive: true });
    rmSync(file);
    for (const id of ["a", "b"]) {
      const failure = await library.read(anyone, id).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "SKILL_NOT_FOUND", message: `There is no skill ${id}.` });
    }
  });

  test("a third-party SKILL.md with other field names is invalid, not ready [S-19] [S-26]", async () => {
    const file = folders.skill("skills/a");
    linkSync(file, join(folders.root, "other-name"));
    const stranger = await folders.open([folders.source("skills", { trust: "third_party" })]);
    expect((await stranger.explain(anyone, "a"))[0]).toMatchObject({ state: "invalid" });
    const own = await folders.open([folders.source("skills")]);
    expect((await own.read(anyone, "a")).entry.id).toBe("a");
  });

  test("records new content and shadowing once across starts [S-15] [S-62]", async () => {
    folders.skill("near/pdf");
    folders.skill("far/pdf");
    const cache = new CountingCache();
    const events: SkillEvent[] = [];
    const ports = {
      audit: { record: (event: SkillEvent) => void events.push(event) },
      clock: { now: () => new Date() },
    };
    const sources = [folders.source("near", { kind: "workspace" }), folders.source("far")];
    await folders.open(sources, { cache, ports });
    expect(events.map(({ type }) => type)).toEqual(["skill.discovered", "skill.shadowed"]);
    expect(events[1]).toMatchObject({ skill: "pdf", source: "far", by: { source: "near" } });
    for (const event of events) expect(SkillEvent.parse(event)).toEqual(event);
    events.length = 0;
    folders.skill("near/pdf", "description: newer");
    folders.skill("near/doc");
    const library = await folders.open(sources, { cache, ports });
    expect(events.filter(({ type }) => type === "skill.discovered")).toHaveLength(2);
    events.length = 0;
    await library.reload();
    expect(events).toEqual([]);
  });
});

describe("the search", () => {
  test("keeps its index between starts and updates it with changes [S-61]", async () => {
    for (const id of ["a", "b", "c"])
      folders.skill(`skills/${id}`, `description: About ${id}.`, `The word of ${id} is word${id}.\n`);
    const cache = new CountingCache();
    const first = await folders.open([folders.source("skills")], { cache });
    expect((await first.search(anyone, "wordb"))[0]?.entry.id).toBe("b");
    const searches = () => [...cache.kept.keys()].filter((key) => key.startsWith("search:")).length;
    // One piece, and the empty one that ends them.
    expect(searches()).toBe(2);
    folders.skill("skills/b", "description: About b.", "Now it is otherword.\n");
    const second = await folders.open([folders.source("skills")], { cache });
    expect((await second.search(anyone, "otherword"))[0]?.entry.id).toBe("b");
    expect((await second.search(anyone, "wordb")).map(({ entry }) => entry.id)).not.toContain("b");
    expect((await second.search(anyone, "wordc"))[0]?.entry.id).toBe("c");
  });

  test("does not search outside a skill through a link in it [S-26] [S-61]", async () => {
    folders.write("private/notes.md", "swordfish");
    folders.skill("skills/a");
    symlinkSync(join(folders.root, "private"), join(folders.root, "skills/a/references"));
    folders.skill("skills/b");
    folders.write("skills/b/references/real.md", "halibut");
    symlinkSync(join(folders.root, "private/notes.md"), join(folders.root, "skills/b/references/link.md"));
    const library = await folders.open([folders.source("skills")]);
    expect(await library.search(anyone, "swordfish")).toEqual([]);
    expect((await library.search(anyone, "halibut"))[0]?.entry.id).toBe("b");
  });

  test("a text that changed after indexing appears in no snippet until it passed the gate [S-17] [S-61]", async () => {
    folders.skill("skills/a", "description: x", "The xylophone.\n");
    const library = await folders.open([folders.source("skills")]);
    await library.search(anyone, "xylophone");
    folders.skill("skills/a", "description: x\nruntime: other", "The xylophone, now hidden.\n");
    expect((await library.search(anyone, "xylophone")).map(({ snippet }) => snippet)).toEqual(["x"]);
  });
});
