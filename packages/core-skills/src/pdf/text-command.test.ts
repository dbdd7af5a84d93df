import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { convertInto, soffice } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { findTables } from "./find-tables.ts";
import { program } from "./program.ts";
import type { TextRun } from "./text-line.ts";
import { groupLines } from "./text-line.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });

test("reads text by page and line, and lists pages without text [S-40]", async () => {
  await call(
    ["create", "-", "--out", "a.pdf"],
    "# One\n\nfirst **bold** line\n\n- item\n\n\\newpage\n\n---\n\n\\newpage\n\nlast",
  );
  expect(await call(["text", "a.pdf"])).toMatchObject({
    code: 0,
    json: {
      pages: 3,
      emptyPages: "2",
      text: "=== page 1 ===\nOne\nfirst bold line\n\n• item\n\n=== page 2 ===\n\n\n=== page 3 ===\nlast\n",
      truncated: false,
    },
  });
  expect(await call(["text", "a.pdf", "--pages", "3"])).toMatchObject({
    json: { text: "=== page 3 ===\nlast\n" },
  });
  expect(await call(["text", "a.pdf", "--order", "sideways"])).toMatchObject({ code: 2 });
});

test("returns two hundred pages in bounded parts, to the end [S-40]", async () => {
  const pages = Array.from(
    { length: 200 },
    (_, index) => `# Page ${index + 1}\n\n${"lorem ipsum ".repeat(20)}`,
  );
  await call(["create", "-", "--out", "long.pdf"], pages.join("\n\n\\newpage\n\n"));
  let offset: number | undefined = 0;
  let whole = "";
  let calls = 0;
  while (offset !== undefined) {
    const { json, stdout } = await call(["text", "long.pdf", "--limit", "30000", "--offset", String(offset)]);
    expect(stdout.length).toBeLessThan(35_000);
    // The shape that the test above has checked.
    const part = json as { readonly text: string; readonly nextOffset?: number };
    whole += part.text;
    offset = part.nextOffset;
    calls += 1;
  }
  const early = await call(["text", "long.pdf", "--limit", "1000"]);
  expect(early).toMatchObject({
    json: { pages: 200, truncated: true, readPages: expect.stringMatching(/^1-\d$/) },
  });
  expect(early.json).not.toHaveProperty("totalLength");
  expect(calls).toBeGreaterThan(1);
  expect(whole.match(/=== page \d+ ===\nPage \d+/g)).toHaveLength(200);
  expect(await call(["info", "long.pdf"])).toMatchObject({
    json: { pages: 200, sizes: { groups: [{ pages: "1-200" }] } },
  });
});

test("returns tables as rows, with wrapped cells and right-aligned numbers [S-40]", async () => {
  const table =
    "Some text before, that is no table, and goes on for a while so that it fills the line of the page and wraps.\n\n" +
    "| Item | Qty | Price |\n|:--|:-:|--:|\n| Pen | 3 | 1.20 |\n" +
    "| A thing with a name that is far too long for its column and therefore goes on in a second line of it | 12 | 1,004.50 |\n" +
    "| Book | 1 | 20.00 |\n\n1. a list\n2. is no table\n";
  await call(["create", "-", "--out", "t.pdf"], `${table}\n\\newpage\n\n${table}`);
  const rows = [
    ["Item", "Qty", "Price"],
    ["Pen", "3", "1.20"],
    [
      "A thing with a name that is far too long for its column and therefore goes on in a second line of it",
      "12",
      "1,004.50",
    ],
    ["Book", "1", "20.00"],
  ];
  expect(await call(["tables", "t.pdf"])).toMatchObject({
    json: {
      tables: [
        { page: 1, columns: 3, rows },
        { page: 2, columns: 3, rows },
      ],
      truncated: false,
    },
  });
  expect(await call(["tables", "t.pdf", "--rows", "5"])).toMatchObject({
    json: { tables: [{ page: 1 }], truncated: true, nextPages: "2" },
  });
});

test("text in two columns is not a table [S-40]", () => {
  const line = (y: number, ...runs: [number, number, string][]): TextRun[] =>
    runs.map(([x, width, text]) => ({ x, y, width, text, size: 10 }));
  const justified = [
    ...line(100, [0, 30, "The"], [38, 60, "quick brown"], [106, 80, "fox jumps"]),
    ...line(88, [0, 70, "over the lazy"], [78, 40, "dog and"], [126, 60, "sleeps"]),
    ...line(76, [0, 50, "until the"], [57, 90, "evening comes"], [155, 31, "again"]),
  ];
  expect(findTables(groupLines(justified))).toEqual([]);
});

// LibreOffice is 330 MB: it is used where it is there, and the same commands are proven above without it.
test.skipIf(soffice === undefined)(
  "reads text, tables and scripts beyond Latin from a file of LibreOffice [S-40]",
  async () => {
    writeFileSync(
      join(cwd, "office.html"),
      '<meta charset="utf-8"><p>first</p><p>Größe und Кириллица</p><p>Ελληνικά text</p>' +
        '<table width="100%"><tr><th>City</th><th>People</th></tr><tr><td>Bern</td><td>134,000</td></tr>' +
        "<tr><td>Basel</td><td>173,000</td></tr></table>",
    );
    convertInto(cwd, join(cwd, "office.html"), "pdf:writer_web_pdf_Export");
    expect((await call(["text", "office.pdf"])).stdout).toMatch(/Größe und Кириллица.*Ελληνικά text/);
    expect(await call(["tables", "office.pdf"])).toMatchObject({
      json: {
        tables: [
          {
            rows: [
              ["City", "People"],
              ["Bern", "134,000"],
              ["Basel", "173,000"],
            ],
          },
        ],
      },
    });
  },
);
