import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { checkFile, hasOracles, readObjects, readPages } from "./oracle.fixture.ts";
import { encodePng } from "./png.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });
const bytesOf = (name: string) => readFileSync(join(cwd, name));

const markdown = `# Annual report

Plain, **bold**, *italic*, \`code\`, ~~struck~~ and [a link](https://example.org/x?y=1). Straße, café, “quotes”, €5.

| Item | Price |
|:-----|------:|
| Pen  |  1.20 |
| A book with a name so long that it will not fit into one line of the table, whatever the width of the page | 20.00 |

1. first
2. second
   - inner

> A quote.

\`\`\`
const x = 1;
\`\`\`

<!-- pagebreak -->

# Second part
`;

describe.runIf(hasOracles)("made from Markdown", () => {
  test("every block is on its page, and the file is valid [S-40]", async () => {
    const argv = ["create", "-", "--title", "Report", "--page-numbers", "--out", "report.pdf"];
    expect(await call(argv, markdown)).toMatchObject({ code: 0, json: { ok: true, pages: 2 } });
    const path = join(cwd, "report.pdf");
    expect(checkFile(path)).toBe("");
    const [first = "", second = ""] = readPages(path);
    for (const text of [
      "Annual report",
      "Plain, bold, italic, code, struck and a link. Straße, café, “quotes”, €5.",
    ]) {
      expect(first).toContain(text);
    }
    expect(first).toMatch(/Pen +1\.20/);
    expect(first).toMatch(/1\. +first\s+2\. +second\s+• +inner/);
    expect(first).toMatch(/A quote\.\s+const x = 1;/);
    expect(first).toContain("1/2");
    expect(second).toMatch(/Second part[\s\S]*2\/2/);
  });

  test("links lead only to the web [S-40]", async () => {
    await call(
      ["create", "-", "--out", "links.pdf"],
      "[a](https://example.org/a) [b](file:///etc/passwd) [c](javascript:alert) [d](mailto:a@example.org)",
    );
    const objects = readObjects(join(cwd, "links.pdf"));
    expect(objects.match(/\/URI \(.*\)/g)).toEqual([
      "/URI (https://example.org/a)",
      "/URI (mailto:a@example.org)",
    ]);
  });

  test("a long table continues on the next pages, with its header on each [S-40]", async () => {
    const rows = Array.from({ length: 120 }, (_, index) => [`row ${index}`, index]);
    const description = JSON.stringify({ blocks: [{ type: "table", header: ["Name", "Number"], rows }] });
    expect(await call(["create", description, "--out", "table.pdf"])).toMatchObject({ code: 0 });
    const pages = readPages(join(cwd, "table.pdf"));
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) expect(page).toMatch(/Name +Number/);
    const found = pages.join("\n").match(/row \d+/g);
    expect(found).toEqual(rows.map(([name]) => name));
  });

  test("keeps all text of a cell longer than a page and a word longer than a line [S-40]", async () => {
    const words = Array.from({ length: 4000 }, (_, index) => `w${index}`).join(" ");
    const word = "x".repeat(500);
    const description = JSON.stringify({ blocks: [{ type: "table", header: ["a"], rows: [[words]] }, word] });
    expect(await call(["create", description, "--out", "long.pdf"])).toMatchObject({ code: 0 });
    const text = readPages(join(cwd, "long.pdf")).join("\n");
    expect(text.match(/w\d+/g)).toHaveLength(4000);
    expect(text.match(/x/g)).toHaveLength(500);
  });
});

test("the same description gives the same bytes, and other settings give another page [S-40]", async () => {
  await call(["create", "-", "--out", "one.pdf"], markdown);
  await call(["create", "-", "--out", "two.pdf"], markdown);
  expect(bytesOf("one.pdf").equals(bytesOf("two.pdf"))).toBe(true);
  const settings = { pageSize: "Letter", landscape: true, margin: 30, fontSize: 9, author: "A. Writer" };
  await call(["create", JSON.stringify({ ...settings, blocks: ["text"] }), "--out", "wide.pdf"]);
  expect(await call(["info", "wide.pdf"])).toMatchObject({
    json: { sizes: { groups: [{ size: "792 × 612", pages: "1" }] }, metadata: { author: "A. Writer" } },
  });
});

test("finds images beside the description that names them [S-40]", async () => {
  const samples = Uint8Array.from({ length: 4 * 2 * 3 }, (_, index) => index * 10);
  await call(["create", "-", "--out", "sub/empty.pdf"], "made for its folder");
  writeFileSync(
    join(cwd, "sub/pic.png"),
    encodePng({ width: 4, height: 2, bitDepth: 8, kind: "rgb", samples }),
  );
  writeFileSync(join(cwd, "sub/doc.md"), "![Alt](pic.png)\n");
  expect(await call(["create", "sub/doc.md", "--out", "pic.pdf"])).toMatchObject({ code: 0 });
  expect(await call(["images", "pic.pdf", "--out-dir", "out"])).toMatchObject({
    json: { images: [{ page: 1, width: 4, height: 2 }] },
  });
});

test("names characters that the fonts lack, or replaces them on request [S-40]", async () => {
  const failed = await call(["create", "-", "--out", "never.pdf"], "Привет → 你\n");
  expect(failed).toMatchObject({ code: 1, json: { error: { code: "CHARACTERS_NOT_SUPPORTED" } } });
  expect(failed.stderr).toContain("你 (U+4F60)");
  const replaced = await call(["create", "-", "--replace", "?", "--out", "marks.pdf"], "a → b\u2009c\n");
  expect(replaced).toMatchObject({ code: 0, json: { replaced: ["→"] } });
  expect(await call(["text", "marks.pdf"])).toMatchObject({ json: { text: "=== page 1 ===\na ? b c\n" } });
});

test.each([
  ["{}", /blocks must be a list/],
  ['{"blocks":[{"type":"dance"}]}', /blocks\[0\]\.type must be heading/],
  ['{"blocks":[{"type":"heading"}]}', /blocks\[0\]\.text must be a text/],
  ['{"blocks":[{"type":"table","header":["a"],"rows":[["1","2"]]}]}', /rows\[0\] must be at most 1 cells/],
  ['{"blocks":[{"type":"list","items":[["a"]]}]}', /items\[0\] must be texts and numbers/],
  ['{"blocks":[],"color":"red"}', /color must be one of/],
  ['{"blocks":[],"pageSize":"A99"}', /page size/],
  ['{"blocks":[],"margin":-5}', /margin/],
  ["[1]", /an object with blocks/],
])("rejects a description %s and names the position [S-40]", async (description, message) => {
  const { code, stderr } = await call(["create", description, "--out", "never.pdf"]);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(message) });
});

test("rejects a file that is not an image, and an image that would unpack to billions of pixels [S-40]", async () => {
  writeFileSync(join(cwd, "no.png"), "GIF89a");
  const huge = Buffer.from(
    encodePng({ width: 1, height: 1, bitDepth: 8, kind: "gray", samples: new Uint8Array(1) }),
  );
  huge.writeUInt32BE(60_000, 16);
  huge.writeUInt32BE(60_000, 20);
  writeFileSync(join(cwd, "huge.png"), huge);
  const create = (path: string) => call(["create", "-", "--out", "never.pdf"], `![](${path})`);
  expect(await create("no.png")).toMatchObject({ code: 3, json: { error: { code: "IMAGE_NOT_SUPPORTED" } } });
  expect(await create("huge.png")).toMatchObject({ code: 3, json: { error: { code: "FILE_TOO_LARGE" } } });
  expect(await create("missing.png")).toMatchObject({ code: 1, json: { error: { code: "FILE_NOT_FOUND" } } });
});
