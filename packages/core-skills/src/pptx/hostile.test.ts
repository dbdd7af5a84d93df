import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { makeDocx, paragraph } from "../docx/word.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { makeBlankDeck } from "./blank-deck.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });

const good = makeBlankDeck().pkg.save();
const withMain = (change: (xml: string) => string) => {
  const parts = unzipSync(good);
  const xml = Buffer.from(parts["ppt/presentation.xml"] ?? []).toString();
  return zipSync({ ...parts, "ppt/presentation.xml": strToU8(change(xml)) });
};
const cases: readonly (readonly [string, Uint8Array, string])[] = [
  [
    "an encrypted deck",
    new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, ...new Uint8Array(600)]),
    "ENCRYPTED_OR_LEGACY",
  ],
  ["an empty file", new Uint8Array(), "FILE_EMPTY"],
  ["a text file", strToU8("This is no presentation, whatever its name."), "NOT_AN_OFFICE_FILE"],
  ["a deck that was cut off", good.slice(0, good.length - 40), "BROKEN_FILE"],
  ["a Word document", makeDocx(paragraph("x")), "WRONG_KIND"],
  ["a bomb", zipSync({ "ppt/presentation.xml": new Uint8Array(30_000_000) }), "FILE_TOO_LARGE"],
  [
    "a list of slides that are not there",
    withMain((xml) =>
      xml.replace("<p:sldIdLst/>", '<p:sldIdLst><p:sldId id="256" r:id="rId99"/></p:sldIdLst>'),
    ),
    "BROKEN_FILE",
  ],
  [
    "XML with a document type",
    withMain((xml) => xml.replace("<p:presentation", '<!DOCTYPE x [<!ENTITY a "a">]><p:presentation')),
    "BROKEN_FILE",
  ],
  ["XML that is not well-formed", withMain((xml) => xml.replace("</p:presentation>", "")), "BROKEN_FILE"],
];

test.each(cases)("readers and writers reject %s with a reason [S-40]", async (_, bytes, code) => {
  writeFileSync(join(cwd, "in.pptx"), bytes);
  for (const argv of [
    ["info", "in.pptx"],
    ["read", "in.pptx"],
    ["replace", "in.pptx", "--find", "a", "--with", "b", "--out", "out.pptx"],
    ["add", "in.pptx", '[{"title": "x"}]', "--out", "out.pptx"],
    ["merge", "in.pptx", "in.pptx", "--out", "out.pptx"],
  ]) {
    const result = await call(...argv);
    expect(result).toMatchObject({ code: 3, stdout: "", json: { ok: false, error: { code } } });
    expect(result.stderr.length).toBeLessThan(1500);
  }
});

test("reads a deck of two hundred slides in bounded parts, to its end [S-40]", async () => {
  const slides = Array.from({ length: 200 }, (_, index) => ({
    title: `Slide ${index + 1}`,
    text: "word ".repeat(60),
  }));
  writeFileSync(join(cwd, "long.json"), JSON.stringify(slides));
  expect((await call("create", "long.json", "--out", "long.pptx")).json).toMatchObject({ slides: 200 });
  const info = await call("info", "long.pptx");
  expect(info.json).toMatchObject({ slides: { total: 200 } });
  expect(info.stdout.length).toBeLessThan(40_000);
  expect((await call("read", "long.pptx")).json).toMatchObject({ truncated: true, nextOffset: 20_000 });
  expect((await call("read", "long.pptx", "--slides", "199-")).json).toMatchObject({
    truncated: false,
    text: expect.stringContaining("## Slide 200: Slide 200"),
  });
  expect((await call("read", "long.pptx", "--format", "json")).json).toMatchObject({
    total: 200,
    truncated: true,
  });
  expect(readFileSync(join(cwd, "long.pptx")).length).toBeLessThan(2_000_000);
});
