import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { checkFile, hasOracles, readObjects, readPages } from "./oracle.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });
const at = (name: string) => join(cwd, name);

beforeAll(async () => {
  const pages = [1, 2, 3, 4, 5].map(
    (page) => `# Page ${page}\n\nsecret-${page} [site](https://example.org/${page})`,
  );
  await call(["create", "-", "--title", "Five", "--out", "five.pdf"], pages.join("\n\n\\newpage\n\n"));
  await call(["create", "-", "--title", "Other", "--out", "other.pdf"], "# Other page");
});

describe.runIf(hasOracles)("as others read them", () => {
  test("merged files have all pages in order and the metadata of the first [S-40]", async () => {
    const merged = await call(["merge", "five.pdf", "other.pdf", "five.pdf", "--out", "merged.pdf"]);
    expect(merged).toMatchObject({
      code: 0,
      json: { pages: 11, parts: [{ pages: 5 }, { pages: 1 }, { pages: 5 }] },
    });
    expect(checkFile(at("merged.pdf"))).toBe("");
    const heads = readPages(at("merged.pdf")).map((page) => page.trim().split("\n")[0]);
    const five = [1, 2, 3, 4, 5].map((page) => `Page ${page}`);
    expect(heads).toEqual([...five, "Other page", ...five]);
    expect(await call(["info", "merged.pdf"])).toMatchObject({ json: { metadata: { title: "Five" } } });
  });

  test("extracts pages in the given order [S-40]", async () => {
    expect(await call(["extract", "five.pdf", "--pages", "4,1-2", "--out", "part.pdf"])).toMatchObject({
      code: 0,
      json: { pages: 3, kept: "4,1-2" },
    });
    expect(checkFile(at("part.pdf"))).toBe("");
    const heads = readPages(at("part.pdf")).map((page) => page.trim().split("\n")[0]);
    expect(heads).toEqual(["Page 4", "Page 1", "Page 2"]);
  });

  test("the file contains nothing of an omitted page [S-40]", async () => {
    await call(["delete", "five.pdf", "--pages", "2-4", "--out", "short.pdf"]);
    expect(checkFile(at("short.pdf"))).toBe("");
    const links = (name: string) => readObjects(at(name)).match(/example\.org\/\d/g);
    expect(links("five.pdf")).toHaveLength(5);
    expect(links("short.pdf")).toEqual(["example.org/1", "example.org/5"]);
    expect(readObjects(at("short.pdf")).match(/\/Type \/Page\b/g)).toHaveLength(2);
  });

  test("parts of a file are valid, named by their pages, and complete [S-40]", async () => {
    await call(["split", "five.pdf", "--every", "2", "--out-dir", "parts"]);
    expect(readdirSync(at("parts"))).toEqual(["five-1-2.pdf", "five-3-4.pdf", "five-5.pdf"]);
    const pages = readdirSync(at("parts")).flatMap((name) => {
      expect(checkFile(at(`parts/${name}`))).toBe("");
      return readPages(at(`parts/${name}`));
    });
    expect(pages.join("")).toBe(readPages(at("five.pdf")).join(""));
    expect(await call(["split", "five.pdf", "--at", "2,5", "--out-dir", "at"])).toMatchObject({
      json: { files: [{ pages: "1" }, { pages: "2-4" }, { pages: "5" }] },
    });
  });

  test("stamps a watermark on the chosen pages, including rotated ones [S-40]", async () => {
    await call(["rotate", "five.pdf", "--by", "90", "--pages", "2", "--out", "turned.pdf"]);
    const argv = [
      "watermark",
      "turned.pdf",
      "--text",
      "DRAFT",
      "--angle",
      "0",
      "--pages",
      "2-3",
      "--out",
      "draft.pdf",
    ];
    expect(await call(argv)).toMatchObject({ code: 0, json: { marked: "2-3" } });
    expect(checkFile(at("draft.pdf"))).toBe("");
    const marks = readPages(at("draft.pdf")).map((page) => page.includes("DRAFT"));
    expect(marks).toEqual([false, true, true, false, false]);
  });
});

test("adds a rotation to the page's own [S-40]", async () => {
  await call(["rotate", "five.pdf", "--by", "90", "--pages", "1-2", "--out", "once.pdf"]);
  await call(["rotate", "once.pdf", "--by", "-90", "--pages", "2-3", "--out", "twice.pdf"]);
  expect(await call(["info", "twice.pdf"])).toMatchObject({
    json: {
      sizes: {
        groups: [
          { size: "841.89 × 595.28, rotated 90", pages: "1" },
          { size: "595.28 × 841.89", pages: "2,4-5" },
          { size: "841.89 × 595.28, rotated 270", pages: "3" },
        ],
      },
    },
  });
});

test("sets metadata in any script, in place on request, and keeps the rest [S-40]", async () => {
  await call(["extract", "five.pdf", "--pages", "1", "--out", "meta.pdf"]);
  const argv = [
    "metadata",
    "meta.pdf",
    "--author",
    "Жанна",
    "--keyword",
    "a",
    "--keyword",
    "b",
    "--in-place",
  ];
  expect(await call(argv)).toMatchObject({ code: 0, json: { set: ["author", "keyword"] } });
  expect(await call(["info", "meta.pdf"])).toMatchObject({
    json: { metadata: { title: "Five", author: "Жанна", keywords: "a b" } },
  });
  await call(["metadata", "meta.pdf", "--title", "", "--in-place"]);
  const { json } = await call(["info", "meta.pdf"]);
  expect(json).toHaveProperty("metadata", { author: "Жанна", keywords: "a b" });
});

test("a change always gives the same bytes, and a dry run writes none [S-40]", async () => {
  const rotate = (out: string, ...rest: string[]) =>
    call(["rotate", "five.pdf", "--by", "180", "--out", out, ...rest]);
  await rotate("a.pdf");
  await rotate("b.pdf");
  expect(readFileSync(at("a.pdf")).equals(readFileSync(at("b.pdf")))).toBe(true);
  expect(await rotate("c.pdf", "--dry-run")).toMatchObject({ code: 0, json: { output: { dryRun: true } } });
  expect(await call(["split", "five.pdf", "--out-dir", "dry", "--dry-run"])).toMatchObject({ code: 0 });
  expect([existsSync(at("c.pdf")), existsSync(at("dry"))]).toEqual([false, false]);
});

test.each([
  [["merge", "five.pdf", "--out", "x.pdf"], 2],
  [["merge", "five.pdf", "other.pdf", "--out", "five.pdf"], 1],
  [["extract", "five.pdf", "--out", "x.pdf"], 2],
  [["extract", "five.pdf", "--pages", "6", "--out", "x.pdf"], 2],
  [["delete", "five.pdf", "--pages", "1-5", "--out", "x.pdf"], 2],
  [["rotate", "five.pdf", "--by", "45", "--out", "x.pdf"], 2],
  [["split", "five.pdf", "--every", "2", "--at", "3", "--out-dir", "x"], 2],
  [["watermark", "five.pdf", "--out", "x.pdf"], 2],
  [["watermark", "five.pdf", "--text", "机密", "--out", "x.pdf"], 1],
  [["watermark", "five.pdf", "--text", "A", "--color", "red", "--out", "x.pdf"], 2],
  [["metadata", "five.pdf", "--out", "x.pdf"], 2],
])("%j ends with exit code %d and writes nothing [S-40]", async (argv, code) => {
  const before = readFileSync(at("five.pdf"));
  expect(await call(argv)).toMatchObject({ code, stdout: "" });
  expect(existsSync(at("x.pdf"))).toBe(false);
  expect(readFileSync(at("five.pdf")).equals(before)).toBe(true);
});
