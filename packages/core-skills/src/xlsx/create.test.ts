import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { fail, openForeign, readWithPython, succeed } from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);

const spec = JSON.stringify({
  sheets: [
    {
      name: "Orders",
      columns: ["Item", { header: "Price", width: 14, format: "#,##0.00" }, "Sent"],
      rows: [
        ["Pen", 1.5, "2024-01-31"],
        { Item: "Ink & <more>", Price: 12, Sent: null },
        ["Sum", "=SUM(B2:B3)", true],
      ],
      autoFilter: true,
      merge: ["A6:C6"],
    },
    {
      name: "Ada's notes",
      rows: [[{ text: "=text" }, { value: 0.25, format: "0%" }, "=XLOOKUP(1,A1:A2,B1:B2)"]],
    },
  ],
  properties: { title: "All orders", creator: "Ada", created: "2024-01-31T00:00:00Z" },
});

test("creates a workbook as described, which another library reads [S-40]", async () => {
  await succeed(folder, ["create", "-", "--out", "made.xlsx"], spec);
  const workbook = await openForeign(join(folder, "made.xlsx"));
  const sheet = workbook.getWorksheet("Orders");
  expect(workbook.worksheets.map(({ name }) => name)).toEqual(["Orders", "Ada's notes"]);
  expect(workbook.title).toBe("All orders");
  expect(sheet?.getCell("A3").value).toBe("Ink & <more>");
  expect(sheet?.getCell("B2").numFmt).toBe("#,##0.00");
  expect(sheet?.getCell("C2").value).toEqual(new Date("2024-01-31T00:00:00Z"));
  expect(sheet?.getCell("B4").formula).toBe("SUM(B2:B3)");
  expect(sheet?.getCell("C4").value).toBe(true);
  expect(sheet?.getCell("A1").font?.bold).toBe(true);
  expect(sheet?.getColumn(2).width).toBe(14);
  expect(sheet?.views[0]).toMatchObject({ state: "frozen", ySplit: 1 });
  expect(sheet?.autoFilter).toBe("A1:C4");
  expect(sheet?.getCell("B6").isMerged).toBe(true);
  expect(workbook.getWorksheet("Ada's notes")?.getCell("B1").numFmt).toBe("0%");
});

test("the file is well-formed for a reader without our libraries [S-40]", async () => {
  await succeed(folder, ["create", spec, "--out", "python.xlsx"]);
  const sheets = readWithPython(join(folder, "python.xlsx"));
  expect(sheets["Orders"]).toMatchObject({ A3: "Ink & <more>", B2: "1.5", B4: "=SUM(B2:B3)", C2: "45322" });
  expect(sheets["Ada's notes"]).toEqual({ A1: "=text", B1: "0.25", C1: "=_xlfn.XLOOKUP(1,A1:A2,B1:B2)" });
});

test("the same description gives the same bytes [S-40]", async () => {
  await succeed(folder, ["create", spec, "--out", "one.xlsx"]);
  await succeed(folder, ["create", spec, "--out", "two.xlsx"]);
  expect(readFileSync(join(folder, "one.xlsx"))).toEqual(readFileSync(join(folder, "two.xlsx")));
});

test("reports a dry run without writing a file [S-40]", async () => {
  const { written } = await succeed(folder, ["create", spec, "--out", "never.xlsx", "--dry-run"]);
  expect(written).toMatchObject({ path: "never.xlsx", dryRun: true });
  expect(() => readFileSync(join(folder, "never.xlsx"))).toThrow("ENOENT");
});

test("unusual text survives a round trip: controls, spaces, codes and emoji [S-40]", async () => {
  const texts = ["a\u0001b", " padded ", "two\nlines", "_x0041_", "😀", "tab\there"];
  await succeed(
    folder,
    ["create", "-", "--out", "text.xlsx"],
    JSON.stringify({ sheets: [{ name: "T", rows: [texts] }] }),
  );
  const { rows } = await succeed(folder, ["read", "text.xlsx"]);
  expect(rows).toEqual([texts]);
});

test.each([
  ["a name with a slash", { sheets: [{ name: "a/b" }] }, "not a valid sheet name"],
  ["the same name twice", { sheets: [{ name: "A" }, { name: "a" }] }, "already a sheet"],
  ["a key that nobody knows", { sheets: [{ name: "A", colums: [] }] }, "has no key colums"],
  ["a cell that is a list", { sheets: [{ name: "A", rows: [[[1]]] }] }, "cannot be"],
  ["no sheet at all", { sheets: [] }, "at least one sheet"],
])("rejects %s with a reason [S-40]", async (_, description, message) => {
  const failure = await fail(folder, ["create", JSON.stringify(description), "--out", "bad.xlsx"]);
  expect(failure.message).toContain(message);
  expect(failure.exit).toBeGreaterThan(0);
});

test("rejects a text longer than a cell's limit and names its address [S-40]", async () => {
  const description = JSON.stringify({ sheets: [{ name: "A", rows: [["x".repeat(40_000)]] }] });
  expect(await fail(folder, ["create", description, "--out", "long.xlsx"])).toMatchObject({
    code: "CELL_TOO_LONG",
  });
});
