import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { fail, patchParts, succeed } from "./workbook.fixture.ts";

const folder = makeTempFolder(afterAll);
const commands = [
  ["info"],
  ["read"],
  ["edit", "--steps", '[{"op":"append","rows":[[1]]}]', "--out", "x.xlsx"],
  ["split", "--out-dir", "x"],
] as const;

beforeAll(async () => {
  writeFileSync(join(folder, "empty.xlsx"), "");
  writeFileSync(join(folder, "text.xlsx"), "not a workbook");
  writeFileSync(join(folder, "old.xlsx"), Buffer.from("d0cf11e0a1b11ae1", "hex"));
  writeFileSync(join(folder, "zip.xlsx"), zipSync({ "a.txt": new Uint8Array(3) }));
  writeFileSync(join(folder, "bomb.xlsx"), zipSync({ "xl/workbook.xml": new Uint8Array(60_000_000) }));
  for (const name of ["cut", "entity", "huge", "range"]) {
    await succeed(folder, ["create", '{"sheets":[{"name":"A","rows":[[1]]}]}', "--out", `${name}.xlsx`]);
  }
  const sheet = "xl/worksheets/sheet1.xml";
  patchParts(join(folder, "cut.xlsx"), { [sheet]: (text) => text.slice(0, -20) });
  patchParts(join(folder, "entity.xlsx"), {
    [sheet]: (text) => text.replace("<worksheet", '<!DOCTYPE a [<!ENTITY x "y">]><worksheet'),
  });
  const noise = Array.from(
    { length: 1_050_000 },
    (_, index) => `<v>${Math.imul(index, 2_654_435_761)}</v>`,
  ).join("");
  patchParts(join(folder, "huge.xlsx"), {
    [sheet]: (text) => text.replace("<sheetData>", `<x>${noise}${noise}</x><sheetData>`),
  });
  patchParts(join(folder, "range.xlsx"), {
    [sheet]: (text) =>
      text.replace("</sheetData>", '</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
  });
});

test.each([
  ["empty.xlsx", "FILE_EMPTY"],
  ["text.xlsx", "NOT_AN_OFFICE_FILE"],
  ["old.xlsx", "ENCRYPTED_OR_LEGACY"],
  ["zip.xlsx", "NOT_A_WORKBOOK"],
  ["bomb.xlsx", "FILE_TOO_LARGE"],
  ["cut.xlsx", "BROKEN_FILE"],
  ["entity.xlsx", "BROKEN_FILE"],
  ["huge.xlsx", "FILE_TOO_LARGE"],
])("rejects %s with %s in every command [S-40]", async (name, code) => {
  for (const [command, ...rest] of commands) {
    expect(await fail(folder, [command, name, ...rest])).toMatchObject({ exit: 3, code });
  }
});

test("handles a merged cell that covers the whole sheet [S-40]", async () => {
  expect(await succeed(folder, ["read", "range.xlsx"])).toMatchObject({ rows: [[1]] });
  const steps = '[{"op":"insert-rows","at":1}]';
  await succeed(folder, ["edit", "range.xlsx", "--steps", steps, "--out", "shifted.xlsx"]);
});

test("reads a whole-sheet range up to the last used cell [S-40]", async () => {
  expect(await succeed(folder, ["read", "range.xlsx", "--range", "A:XFD"])).toMatchObject({
    range: "A1",
    rows: [[1]],
  });
});

test("rejects a format for too many cells [S-40]", async () => {
  const argv = ["format", "range.xlsx", "A1:XFC1048575", "--bold", "--out", "x.xlsx"];
  expect(await fail(folder, argv)).toMatchObject({ exit: 2 });
});
