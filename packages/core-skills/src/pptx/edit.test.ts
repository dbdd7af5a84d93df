import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, expect, test, vi } from "vitest";
import { convert, inspectPackage, pageTexts, soffice, tinyPng } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";

// LibreOffice takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const cwd = makeTempFolder(afterAll);
const call = (...argv: string[]) => callProgram(program, argv, { cwd });
const at = (name: string) => join(cwd, name);
writeFileSync(at("dot.png"), tinyPng);

const titlesOf = async (name: string) => {
  const { json } = await call("info", name);
  return (json as { slides: { items: { title: string }[] } }).slides.items.map(({ title }) => title);
};
const makeDeck = (name: string, ...titles: string[]) =>
  call(
    "create",
    JSON.stringify(titles.map((title) => ({ title, bullets: [`about ${title}`], notes: `say ${title}` }))),
    "--out",
    name,
  );

/** Changes the XML of one part, as another program might have written it. */
function rewrite(name: string, part: string, change: (xml: string) => string): void {
  const parts = unzipSync(readFileSync(at(name)));
  const changed = change(Buffer.from(parts[part] ?? []).toString());
  writeFileSync(at(name), zipSync({ ...parts, [part]: strToU8(changed) }));
}

test("duplicates, deletes and reorders slides with their notes [S-40]", async () => {
  await makeDeck("deck.pptx", "A", "B", "C", "D");
  expect((await call("duplicate", "deck.pptx", "--slides", "1,3", "--out", "dup.pptx")).json).toMatchObject({
    copies: [2, 5],
  });
  expect(await titlesOf("dup.pptx")).toEqual(["A", "A", "B", "C", "C", "D"]);
  await call("delete", "dup.pptx", "--slides", "1,3-4", "--out", "del.pptx");
  expect(await titlesOf("del.pptx")).toEqual(["A", "C", "D"]);
  await call("reorder", "del.pptx", "--order", "3,1-2", "--out", "order.pptx");
  expect(await titlesOf("order.pptx")).toEqual(["D", "A", "C"]);
  await call("reorder", "order.pptx", "--slides", "3", "--to", "1", "--in-place");
  expect(await titlesOf("order.pptx")).toEqual(["C", "D", "A"]);
  for (const name of ["dup.pptx", "del.pptx", "order.pptx"])
    expect(inspectPackage(at(name)).problems).toEqual([]);
  const { json } = await call("read", "order.pptx", "--format", "json");
  expect(json).toMatchObject({ slides: [{ notes: "say C" }, { notes: "say D" }, { notes: "say A" }] });
});

test("edits a copied slide without changing the original [S-40]", async () => {
  await makeDeck("own.pptx", "A");
  await call("duplicate", "own.pptx", "--slides", "1", "--in-place");
  await call("replace", "own.pptx", "--find", "A", "--with", "Z", "--slides", "2", "--in-place");
  const { json } = await call("read", "own.pptx", "--format", "json");
  expect(json).toMatchObject({
    slides: [
      { title: "A", notes: "say A" },
      { title: "Z", notes: "say Z" },
    ],
  });
});

test("a deleted slide takes along its images, links to it and its place in sections [S-40]", async () => {
  await call("create", '[{"title": "A", "image": "dot.png"}, {"title": "B"}]', "--out", "links.pptx");
  const link = '<a:hlinkClick r:id="rId9" action="ppaction://hlinksldjump"/>';
  rewrite("links.pptx", "ppt/slides/slide2.xml", (xml) =>
    xml.replace(/(<a:rPr[^>]*)\/>/, `$1>${link}</a:rPr>`),
  );
  const relation =
    '<Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/slide" Target="slide1.xml"/>';
  rewrite("links.pptx", "ppt/slides/_rels/slide2.xml.rels", (xml) =>
    xml.replace("</Relationships>", `${relation}</Relationships>`),
  );
  const sections =
    '<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"><p14:section name="S" id="{00000000-0000-0000-0000-000000000001}"><p14:sldIdLst><p14:sldId id="256"/><p14:sldId id="257"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst>';
  rewrite("links.pptx", "ppt/presentation.xml", (xml) =>
    xml.replace("</p:presentation>", `${sections}</p:presentation>`),
  );
  expect(inspectPackage(at("links.pptx")).problems).toEqual([]);
  await call("duplicate", "links.pptx", "--slides", "2", "--out", "linked.pptx");
  expect(partOf("linked.pptx", "ppt/presentation.xml")).toContain(
    '<p14:sldId id="257"/><p14:sldId id="258"/>',
  );
  await call("delete", "linked.pptx", "--slides", "1", "--out", "unlinked.pptx");
  expect(inspectPackage(at("unlinked.pptx")).problems).toEqual([]);
  const parts = Object.keys(unzipSync(readFileSync(at("unlinked.pptx"))));
  expect(parts.filter((name) => name.includes("media") || name.endsWith("slide1.xml"))).toEqual([]);
  expect(partOf("unlinked.pptx", "ppt/slides/slide2.xml")).not.toContain("hlinkClick");
  expect(partOf("unlinked.pptx", "ppt/presentation.xml")).not.toContain('<p14:sldId id="256"');
});

function partOf(name: string, part: string): string {
  return Buffer.from(unzipSync(readFileSync(at(name)))[part] ?? []).toString();
}

test("replaces text across runs and in notes, and keeps the style [S-40]", async () => {
  await makeDeck("runs.pptx", "Acme");
  const runs = '<a:r><a:rPr b="1"/><a:t>Ac</a:t></a:r><a:r><a:rPr i="1"/><a:t>me Ltd</a:t></a:r>';
  rewrite("runs.pptx", "ppt/slides/slide1.xml", (xml) => xml.replace(/<a:r>.*?<\/a:r>/, runs));
  const { json } = await call(
    "replace",
    "runs.pptx",
    "--find",
    "Acme",
    "--with",
    "Globex",
    "--out",
    "ran.pptx",
  );
  expect(json).toMatchObject({ total: 3 });
  expect(partOf("ran.pptx", "ppt/slides/slide1.xml")).toContain(
    '<a:r><a:rPr b="1"/><a:t>Globex</a:t></a:r><a:r><a:rPr i="1"/><a:t> Ltd</a:t></a:r>',
  );
  expect(inspectPackage(at("ran.pptx")).texts["ppt/notesSlides/notesSlide1.xml"]).toBe("say Globex");
  expect(await call("replace", "runs.pptx", "--find", "X", "--with", "Y", "--out", "x.pptx")).toMatchObject({
    code: 1,
    json: { error: { code: "NOTHING_FOUND" } },
  });
});

test("fills a template, row by row for lists, and names missing values [S-40]", async () => {
  const slide = {
    title: "Offer for {{customer.name}}",
    table: { header: ["Item", "Price"], rows: [["{{#items}}{{product}}", "{{price}}{{/items}}"]] },
    notes: "Greet {{customer.name}}",
  };
  await call("create", JSON.stringify([slide]), "--out", "template.pptx");
  expect((await call("tags", "template.pptx")).json).toMatchObject({ total: 4 });
  const data = {
    customer: { name: "A & B" },
    items: [
      { product: "Tea", price: 3 },
      { product: "Milk", price: 4 },
    ],
  };
  await call("fill", "template.pptx", "--data", JSON.stringify(data), "--out", "filled.pptx");
  const { problems, texts } = inspectPackage(at("filled.pptx"));
  expect(problems).toEqual([]);
  expect(texts["ppt/slides/slide1.xml"]).toBe("Offer for A & BItemPriceTea3Milk4");
  expect(texts["ppt/notesSlides/notesSlide1.xml"]).toBe("Greet A & B");
  const missing = await call("fill", "template.pptx", "--data", '{"items": []}', "--out", "x.pptx");
  expect(missing).toMatchObject({ code: 1, json: { error: { code: "MISSING_VALUES" } } });
  expect(missing.stderr).toContain("customer.name");
});

test("sets, changes and removes notes, even in a deck without any [S-40]", async () => {
  await call("create", '[{"title": "A"}]', "--out", "quiet.pptx");
  const relation = /<Relationship [^>]*notesMaster[^>]*\/>/;
  rewrite("quiet.pptx", "ppt/_rels/presentation.xml.rels", (xml) => xml.replace(relation, ""));
  rewrite("quiet.pptx", "ppt/presentation.xml", (xml) =>
    xml.replace(/<p:notesMasterIdLst>.*<\/p:notesMasterIdLst>/, ""),
  );
  await call("notes", "quiet.pptx", "--slide", "1", "--text", "one\n\ntwo <b>", "--out", "noted.pptx");
  const { problems, texts } = inspectPackage(at("noted.pptx"));
  expect(problems).toEqual([]);
  expect(texts["ppt/notesSlides/notesSlide1.xml"]).toBe("onetwo <b>");
  await call("notes", "noted.pptx", "--slide", "1", "--text", "", "--in-place");
  expect((await call("read", "noted.pptx", "--format", "json")).stdout).not.toContain("notes");
});

test("writes images to a folder unchanged, and none in a dry run [S-40]", async () => {
  await call(
    "create",
    '[{"title":"A","image":"dot.png"},{"title":"B","image":"dot.png"}]',
    "--out",
    "pictures.pptx",
  );
  const dry = await call("images", "pictures.pptx", "--out-dir", "dry", "--dry-run");
  expect(dry.json).toMatchObject({ images: [{ dryRun: true }, { dryRun: true }] });
  expect(existsSync(at("dry"))).toBe(false);
  const { json } = await call("images", "pictures.pptx", "--out-dir", "pictures");
  const { images } = json as { images: { path: string; bytes: number }[] };
  expect(images.map(({ bytes }) => bytes)).toEqual([tinyPng.length, tinyPng.length]);
  for (const { path } of images) expect(readFileSync(at(path)).equals(tinyPng)).toBe(true);
  await makeDeck("bare.pptx", "A");
  expect((await call("images", "bare.pptx", "--out-dir", "none")).json).toMatchObject({ images: [] });
});

test("sets, removes and reads properties without other changes [S-40]", async () => {
  await makeDeck("plain.pptx", "A");
  await call("metadata", "plain.pptx", "--title", "A & B", "--author", "Ada", "--out", "named.pptx");
  expect((await call("info", "named.pptx")).json).toMatchObject({
    properties: { title: "A & B", author: "Ada" },
  });
  const without = await call("metadata", "named.pptx", "--author", "", "--out", "less.pptx");
  expect(without.json).toMatchObject({ properties: { title: "A & B" } });
  expect(without.stdout).not.toContain("Ada");
  expect(inspectPackage(at("less.pptx"))).toMatchObject({
    problems: [],
    texts: { "ppt/slides/slide1.xml": inspectPackage(at("plain.pptx")).texts["ppt/slides/slide1.xml"] },
  });
  expect(await call("metadata", "plain.pptx", "--out", "x.pptx")).toMatchObject({ code: 2 });
});

test("joins decks with their own designs, or with that of the first [S-40]", async () => {
  await makeDeck("one.pptx", "A");
  await call(
    "create",
    '[{"title": "B", "notes": "n", "image": "dot.png"}, {"title": "C", "chart": {"categories": ["x"], "series": [{"name": "s", "values": [1]}]}}]',
    "--out",
    "two.pptx",
  );
  const kept = await call("merge", "one.pptx", "two.pptx", "--out", "kept.pptx");
  expect(kept.json).toMatchObject({ decks: 2, slides: 3, otherSize: [] });
  await call("merge", "one.pptx", "two.pptx", "--use-design", "--out", "used.pptx");
  const mastersIn = (name: string) =>
    Object.keys(unzipSync(readFileSync(at(name)))).filter((part) =>
      /slideMasters\/slideMaster\d+\.xml$/.test(part),
    ).length;
  expect([mastersIn("kept.pptx"), mastersIn("used.pptx")]).toEqual([2, 1]);
  for (const name of ["kept.pptx", "used.pptx"]) {
    expect(inspectPackage(at(name)).problems).toEqual([]);
    expect(await titlesOf(name)).toEqual(["A", "B", "C"]);
  }
});

const FLAT = `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page draw:name="p1"><draw:frame presentation:class="title" svg:x="2cm" svg:y="1cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>Größe</text:p></draw:text-box></draw:frame><draw:frame svg:x="2cm" svg:y="5cm" svg:width="20cm" svg:height="8cm"><draw:text-box><text:p>from LibreOffice</text:p></draw:text-box></draw:frame></draw:page></office:presentation></office:body></office:document>`;

test.skipIf(soffice === undefined)(
  "reads and changes a deck of LibreOffice, which opens it again (needs LibreOffice) [S-40]",
  async () => {
    writeFileSync(at("flat.fodp"), FLAT);
    writeFileSync(at("libre.pptx"), convert(at("flat.fodp"), "pptx"));
    // LibreOffice gives some shapes of its masters the same id.
    const { problems } = inspectPackage(at("libre.pptx"));
    expect((await call("read", "libre.pptx", "--format", "json")).json).toMatchObject({
      slides: [{ slide: 1, text: ["Größe", "from LibreOffice"] }],
    });
    await call("replace", "libre.pptx", "--find", "Größe", "--with", "Neu", "--in-place");
    await call("add", "libre.pptx", '[{"title": "Added", "bullets": ["x"], "notes": "n"}]', "--in-place");
    await call("duplicate", "libre.pptx", "--slides", "1", "--in-place");
    expect(inspectPackage(at("libre.pptx")).problems).toEqual(problems);
    const pages = pageTexts(at("libre.pptx"));
    expect(pages.map((page) => page.trim().split(/\s{2,}|\n/)[0])).toEqual(["Neu", "Neu", "Added"]);
  },
);

test.each([
  [
    ["delete", "deck.pptx", "--slides", "9", "--out", "x.pptx"],
    "There is no slide 9: the file has 4 slides.",
  ],
  [["delete", "deck.pptx", "--slides", "1,1", "--out", "x.pptx"], "names slide 1 twice"],
  [["delete", "deck.pptx", "--slides", "a", "--out", "x.pptx"], "is not a range of slides"],
  [["reorder", "deck.pptx", "--order", "1,2", "--out", "x.pptx"], "--order names 2 of 4 slides."],
  [["add", "deck.pptx", '[{"title": "x"}]', "--at", "7", "--out", "x.pptx"], "from 1 to 5"],
  [["notes", "deck.pptx", "--slide", "1", "--out", "x.pptx"], "either --text <text> or --file"],
])("the invalid call %j ends with exit code 2 and a reason [S-40]", async (argv, message) => {
  await makeDeck("deck.pptx", "A", "B", "C", "D");
  const { code, stderr } = await call(...argv);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
