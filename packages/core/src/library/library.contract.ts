import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SkillEntry, type Trust } from "@skillhold/protocol";
import { describe, expect, test } from "vitest";
import { pack, treeHash } from "../bundle/index.ts";
import type { AccessSettings } from "./access.ts";
import type { Library, LibraryChange } from "./library.ts";
import type { Viewer } from "./viewer.ts";

/** A test skill: folder name and files. */
export interface ContractSkill {
  readonly folder: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly trust?: Trust;
}

/** Creates libraries of one kind and changes their content. */
export interface LibraryMaker {
  open(skills: readonly ContractSkill[], settings?: AccessSettings): Promise<Library>;
  replace(library: Library, skills: readonly ContractSkill[]): Promise<void>;
}

const anyone: Viewer = { runtime: "test" };

export function skill(folder: string, yaml = "description: Does things.", body = "# Steps\n"): ContractSkill {
  return { folder, files: { "SKILL.md": `---\nname: ${folder}\n${yaml}\n---\n${body}` } };
}

/** The limits of a kind of library. */
export interface ContractOptions {
  /** False when the search knows only descriptions, because remote skills are not read before activation. */
  readonly hasSearchedBodies?: boolean;
  /** False when skills that another gateway cannot load are not listed here. */
  readonly hasInvalidCandidates?: boolean;
}

/** The contract of every library. */
export function libraryContract(
  name: string,
  make: () => LibraryMaker,
  { hasSearchedBodies = true, hasInvalidCandidates = true }: ContractOptions = {},
): void {
  describe(`a library of ${name}`, () => {
    test("lists entries ordered by id, in wire format [S-16]", async () => {
      const library = await make().open([
        skill("beta", "description: B.\ntags: [x]\nversion: 1.2.0"),
        skill("alpha"),
      ]);
      const entries = await library.list(anyone);
      expect(entries.map(({ id }) => id)).toEqual(["alpha", "beta"]);
      expect(entries[1]).toMatchObject({ description: "B.", tags: ["x"], version: "1.2.0", type: "context" });
      for (const entry of entries) expect(SkillEntry.parse(entry)).toEqual(entry);
      await library.close();
    });

    test("list, find, search, read, files and resource agree: a hidden skill does not exist [S-43]", async () => {
      const settings = { disabled: new Set(["off"]) };
      const skills = [
        skill("open"),
        skill("off"),
        skill("other", "description: Does things.\nruntime: hermes"),
        skill("mac", "description: Does things.\nmetadata: {openclaw: {os: [plan9]}}"),
        skill("manual", "description: Does things.\ndisable-model-invocation: true"),
        skill("quiet", "description: Does things.\nuser-invocable: false"),
      ];
      const library = await make().open(skills, settings);
      const seen = async (viewer: Viewer) => (await library.list(viewer)).map(({ id }) => id);
      expect(await seen(anyone)).toEqual(["open", "quiet"]);
      expect(await seen({ runtime: "hermes" })).toEqual(["open", "other", "quiet"]);
      expect(await seen({ runtime: ["main", "hermes"] })).toEqual(["open", "other", "quiet"]);
      expect(await seen({ runtime: [] })).not.toContain("other");
      expect(await seen({ runtime: "test", invoker: "user" })).toEqual(["manual", "open"]);
      expect(await seen({ runtime: "test", allow: [] })).toEqual([]);
      expect(await seen({ runtime: "hermes", allow: ["other", "off", "nowhere"] })).toEqual(["other"]);
      for (const id of ["off", "other", "mac", "manual", "nowhere"]) {
        expect(await library.find(anyone, id)).toBeUndefined();
        for (const attempt of [
          library.read(anyone, id),
          library.files(anyone, id),
          library.resource(anyone, id, "SKILL.md"),
        ]) {
          await expect(attempt).rejects.toMatchObject({
            code: "SKILL_NOT_FOUND",
            message: `There is no skill ${id}.`,
          });
        }
      }
      const hits = await library.search(anyone, "does things", { limit: 20 });
      expect(hits.map(({ entry }) => entry.id).sort()).toEqual(["open", "quiet"]);
      await library.close();
    });

    test("explains every candidate, with the reason [S-19]", async () => {
      const broken = { folder: "broken", files: { "SKILL.md": "no frontmatter" } };
      const library = await make().open([
        skill("open"),
        skill("other", "description: x\nruntime: [hermes]"),
        broken,
      ]);
      const explanations = await library.explain(anyone);
      expect(explanations.map(({ id, state, reason }) => [id, state, reason])).toEqual([
        ["open", "visible", "visible"],
        ["other", "hidden", "runtime"],
        ...(hasInvalidCandidates ? [["broken", "invalid", "invalid"]] : []),
      ]);
      expect(explanations[1]?.message).toBe(
        "Skipping skill other: runtime=[hermes] not compatible with current=test",
      );
      if (hasInvalidCandidates) expect(explanations[2]?.message).toContain("frontmatter");
      expect(await library.explain(anyone, "open")).toHaveLength(1);
      await library.close();
    });

    test("returns instructions with the hashes and the list of files, and reads no file [S-20] [S-25]", async () => {
      const files = {
        ...skill("demo", "description: x", "Do it.\n").files,
        "scripts/a.py": "print(1)",
        "references/b.md": "B",
      };
      const library = await make().open([{ folder: "demo", files }]);
      const content = await library.read(anyone, "demo");
      expect(content).toMatchObject({
        body: "Do it.\n",
        isLastGood: false,
        frontmatter: { name: "demo", description: "x" },
      });
      expect(content.files.map(({ path, role }) => [path, role])).toEqual(
        expect.arrayContaining([
          ["SKILL.md", "instructions"],
          ["references/b.md", "reference"],
          ["scripts/a.py", "script"],
        ]),
      );
      expect(content.skillHash).toBe(content.entry.skillHash);
      expect(content.treeHash).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(await library.files(anyone, "demo")).toEqual(content.files);
      await library.close();
    });

    test("reads resources as text or bytes, whole or in ranges that never split a character [S-26]", async () => {
      const bytes = Uint8Array.from([0, 255, 1, 254]);
      const text = "αβγδ".repeat(10);
      const files = { ...skill("demo").files, "assets/x.bin": bytes, "references/greek.md": text };
      const library = await make().open([{ folder: "demo", files }]);
      const binary = await library.resource(anyone, "demo", "assets/x.bin");
      expect(binary).toMatchObject({ encoding: "base64", content: "AP8B/g==", size: 4, hasMore: false });
      let all = "";
      for (let start = 0; ; ) {
        const part = await library.resource(anyone, "demo", "references/greek.md", { start, length: 7 });
        expect(part.encoding).toBe("utf-8");
        all += part.content;
        start += part.length;
        if (!part.hasMore) break;
      }
      expect(all).toBe(text);
      expect((await library.resource(anyone, "demo", "references/greek.md", { start: 1000 })).content).toBe(
        "",
      );
      const sliver = await library.resource(anyone, "demo", "references/greek.md", { start: 0, length: 1 });
      expect(sliver).toMatchObject({ encoding: "base64", length: 1, hasMore: true });
      await expect(
        library.resource(anyone, "demo", "references/greek.md", { start: -1 }),
      ).rejects.toMatchObject({ code: "USAGE" });
      await library.close();
    });

    test.each([
      "../other/SKILL.md",
      "/etc/passwd",
      "references/../../x",
      "a\0b",
      "",
      ".",
      "C:\\x",
      "references\\b.md",
      "./SKILL.md",
    ])("rejects the resource path %j [S-26]", async (path) => {
      const library = await make().open([skill("demo"), skill("other")]);
      await expect(library.resource(anyone, "demo", path)).rejects.toMatchObject({
        code: "RESOURCE_OUTSIDE_SKILL",
      });
      await library.close();
    });

    test("reports a missing file [S-26]", async () => {
      const library = await make().open([skill("demo")]);
      await expect(library.resource(anyone, "demo", "references/none.md")).rejects.toMatchObject({
        code: "PATH_NOT_FOUND",
      });
      await library.close();
    });

    test("copies the bundle to a folder, matching the hash, and copies nothing hidden [S-13] [S-29]", async () => {
      const files = {
        ...skill("demo").files,
        "scripts/deep/a.py": "print(1)",
        "assets/x.bin": Uint8Array.of(0, 255),
      };
      const library = await make().open([{ folder: "demo", files }, skill("off")], {
        disabled: new Set(["off"]),
      });
      const folder = mkdtempSync(join(tmpdir(), "skillhold-copy-"));
      try {
        const content = await library.copy(anyone, "demo", folder);
        expect(readFileSync(join(folder, "scripts/deep/a.py"), "utf8")).toBe("print(1)");
        expect(readFileSync(join(folder, "assets/x.bin"))).toEqual(Buffer.of(0, 255));
        expect(statSync(join(folder, "SKILL.md")).mode & 0o222).toBe(0);
        expect((await treeHash(await pack(folder))).hash).toBe(content.treeHash);
        await expect(library.copy(anyone, "demo", folder)).rejects.toMatchObject({ code: "USAGE" });
        await expect(library.copy(anyone, "off", folder)).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
      } finally {
        rmSync(folder, { recursive: true, force: true });
        await library.close();
      }
    });

    test("finds by words of the name, description and body, with reasons [S-61]", async () => {
      const library = await make().open([
        skill("pdf-tools", "description: Merge and split PDF files.", "Use qpdf.\n"),
        skill("mail", "description: Send mail.", "Use an SMTP relay for delivery.\n"),
      ]);
      const [byName] = await library.search(anyone, "pdf");
      expect(byName).toMatchObject({ entry: { id: "pdf-tools" }, hit: { matched: ["pdf"] } });
      const [byBody] = await library.search(anyone, "smtp relay");
      expect(byBody?.entry.id).toBe(hasSearchedBodies ? "mail" : undefined);
      if (hasSearchedBodies) expect(byBody?.snippet).toContain("SMTP relay");
      await library.close();
    });

    test("reports one change for each replacement, and answers from the new state [S-18]", async () => {
      const maker = make();
      const library = await maker.open([skill("a"), skill("b")]);
      const changes: LibraryChange[] = [];
      const stop = library.onChange((change) => changes.push(change));
      await library.search(anyone, "things");
      await maker.replace(library, [skill("b", "description: Newly knits scarves."), skill("c")]);
      expect(changes).toEqual([{ added: ["c"], changed: ["b"], removed: ["a"], broken: [] }]);
      expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["b", "c"]);
      expect((await library.search(anyone, "scarves"))[0]?.entry.id).toBe("b");
      stop();
      await maker.replace(library, []);
      expect(changes).toHaveLength(1);
      await library.close();
    });
  });
}
