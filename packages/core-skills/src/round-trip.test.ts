import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { program as docx } from "./docx/program.ts";
import { program as pptx } from "./pptx/program.ts";
import { convertInto, inspectPackage, soffice } from "./shared/office-oracle.fixture.ts";
import { OfficePackage } from "./shared/office-package.ts";
import { callProgram } from "./shared/program.fixture.ts";
import { makeTempFolder } from "./shared/temp-folder.fixture.ts";
import { parseXml, type XmlNode } from "./shared/xml.ts";
import { PartStore } from "./xlsx/part-store.ts";
import { program as xlsx } from "./xlsx/program.ts";

const cwd = makeTempFolder(afterAll);
const at = (name: string) => join(cwd, name);

const REPORT = "# Report\n\nSome *text* & <more>.\n\n- one\n- two\n\n| A | B |\n|---|---|\n| 1 | 2 |\n";
const BOOK = {
  sheets: [
    {
      name: "Data",
      rows: [
        ["a & b", 1],
        [" c ", "=B1*2"],
      ],
    },
  ],
};
const documents = [
  { name: "report.docx", program: docx, argv: ["create", "report.md", "--out", "report.docx"] },
  { name: "deck.pptx", program: pptx, argv: ["create", "report.md", "--out", "deck.pptx"] },
  { name: "book.xlsx", program: xlsx, argv: ["create", "book.json", "--out", "book.xlsx"] },
] as const;

const made = new Map<string, Promise<Uint8Array>>();

function make(each: (typeof documents)[number], isForeign: boolean): Promise<Uint8Array> {
  const key = `${each.name} ${isForeign}`;
  const known = made.get(key) ?? (isForeign ? rewrite(each) : create(each));
  made.set(key, known);
  return known;
}

async function create({ name, program, argv }: (typeof documents)[number]): Promise<Uint8Array> {
  writeFileSync(at("report.md"), REPORT);
  writeFileSync(at("book.json"), JSON.stringify(BOOK));
  const { code, stderr } = await callProgram(program, argv, { cwd });
  if (code !== 0) throw new Error(stderr);
  return readFileSync(at(name));
}

/** The document as LibreOffice writes it from its own format. */
async function rewrite(each: (typeof documents)[number]): Promise<Uint8Array> {
  await make(each, false);
  const own = { docx: "odt", pptx: "odp", xlsx: "ods" }[each.name.slice(-4)] ?? "";
  const between = convertInto(cwd, at(each.name), own);
  return readFileSync(convertInto(mkdtempSync(at("office-")), between, each.name.slice(-4)));
}

const writers = [
  ["this skill", false],
  ...(soffice === undefined ? [] : ([["LibreOffice", true]] as const)),
] as const;
const cases = documents.flatMap((each) =>
  writers.map(([writer, isForeign]) => ({ ...each, writer, isForeign })),
);

test.each(cases)("saves $name of $writer byte for byte when no part is edited [S-40]", async (each) => {
  const bytes = await make(each, each.isForeign);
  const file = { path: each.name, absolute: "", name: each.name, bytes };
  expect(unzipSync(new OfficePackage(file).save())).toEqual(unzipSync(bytes));
  expect(unzipSync(PartStore.open(file).toBytes())).toEqual(unzipSync(bytes));
});

test.each(cases)("writes every part of $name of $writer with the same content [S-40]", async (each) => {
  const bytes = await make(each, each.isForeign);
  const file = { path: each.name, absolute: "", name: each.name, bytes };
  const [pkg, store] = [new OfficePackage(file), PartStore.open(file)];
  const names = pkg.names.filter((name) => /\.(?:xml|rels)$/.test(name));
  for (const name of names) {
    pkg.edit(name);
    store.change(name);
  }
  const before = unzipSync(bytes);
  writeFileSync(at(`before-${each.name}`), bytes);
  const { problems } = inspectPackage(at(`before-${each.name}`));
  for (const saved of [pkg.save(), store.toBytes()]) {
    writeFileSync(at(`again-${each.name}`), saved);
    expect(inspectPackage(at(`again-${each.name}`)).problems).toEqual(problems);
    const after = unzipSync(saved);
    for (const name of names) expect(dump(after[name]), name).toEqual(dump(before[name]));
  }
});

/** Comments, instructions and the way of quoting are not content. */
function dump(bytes: Uint8Array | undefined): unknown {
  const visit = (node: XmlNode): unknown =>
    typeof node === "string"
      ? node
      : [node.name, node.namespaceURI, Object.fromEntries(node.attributes), node.children.map(visit)];
  return visit(parseXml(Buffer.from(bytes ?? []).toString(), "the part"));
}
