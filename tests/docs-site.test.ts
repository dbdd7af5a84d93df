import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDocs } from "./build-docs.ts";

const root = join(import.meta.dirname, "..");
let site: string;
let pages: readonly string[];
beforeAll(() => {
  site = join(mkdtempSync(join(tmpdir(), "skillhold-docs-")), "site");
  pages = buildDocs(site);
});
afterAll(() => rmSync(dirname(site), { recursive: true, force: true }));

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

test("every document is a page of the site [S-72]", () => {
  const documents = filesBelow(join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`);
  expect(documents.filter((file) => !pages.includes(file))).toEqual([]);
  expect(pages).toEqual(expect.arrayContaining(["README.md", "SECURITY.md"]));
});

test("every link of the site leads to a file, and every fragment to a heading [S-72]", () => {
  const files = new Set(filesBelow(site));
  const html = [...files].filter((file) => file.endsWith(".html"));
  const ids = new Map(html.map((file) => [file, new Set(idsOf(file))]));
  const broken: string[] = [];
  let count = 0;
  for (const file of html)
    for (const [, address = ""] of read(file).matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/i.test(address)) continue;
      count += 1;
      const [path = "", fragment] = address.split("#");
      const target = path === "" ? file : posix.normalize(posix.join(posix.dirname(file), path));
      const isHeading = fragment === undefined || ids.get(target)?.has(decodeURIComponent(fragment)) === true;
      if (!files.has(target) || !isHeading) broken.push(`${file} -> ${address}`);
    }
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(500);
});

test("the search index has each section with its text, and leads to it [S-72]", () => {
  const sections: readonly { url: string; page: string; title: string; text: string }[] = JSON.parse(
    read("search.json"),
  );
  const restore = sections.find(({ title }) => title === "Backup and restore");
  expect(restore).toMatchObject({ url: "guide/operations.html#backup-and-restore", page: "Operations" });
  expect(restore?.text).toContain("backup verify");
  for (const { url } of sections) {
    const [file = "", fragment] = url.split("#");
    if (fragment !== undefined) expect(idsOf(file), url).toContain(fragment);
  }
});

test("the pages have no inline script or style, which the gateway's policy blocks [S-72]", () => {
  for (const file of filesBelow(site).filter((each) => each.endsWith(".html")))
    expect([
      file,
      /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/.test(read(file).replace(/<pre[\s\S]*?<\/pre>/g, "")),
    ]).toEqual([file, false]);
});

function read(file: string): string {
  return readFileSync(join(site, file), "utf8");
}

function idsOf(file: string): readonly string[] {
  return [...read(file).matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
}
