import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { inspectPackage } from "../shared/office-oracle.fixture.ts";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const at = (name: string) => join(cwd, name);
const succeed = async (...argv: string[]) => {
  const { code, json, stderr } = await callProgram(program, argv, { cwd });
  if (code !== 0) throw new Error(stderr);
  return json;
};

const SLIDES = "application/vnd.openxmlformats-officedocument.presentationml";
const MACRO = "application/vnd.ms-powerpoint";
const TYPES = {
  potx: `${SLIDES}.template.main+xml`,
  ppsx: `${SLIDES}.slideshow.main+xml`,
  pptm: `${MACRO}.presentation.macroEnabled.main+xml`,
  pptx: `${SLIDES}.presentation.main+xml`,
} as const;
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

type Changes = Readonly<Record<string, string | ((text: string) => string)>>;

/** A deck of two slides, with parts changed to what other programs write. */
async function writeDeck(name: string, changes: Changes = {}): Promise<void> {
  await succeed(
    "create",
    JSON.stringify([{ title: "One", bullets: ["a"] }, { title: "Two" }]),
    "--out",
    "base.pptx",
  );
  const parts = unzipSync(readFileSync(at("base.pptx")));
  for (const [part, change] of Object.entries(changes)) {
    const text = Buffer.from(parts[part] ?? []).toString();
    parts[part] = strToU8(typeof change === "string" ? change : change(text));
  }
  writeFileSync(at(name), zipSync(parts));
}

const textOf = (name: string, part: string) =>
  Buffer.from(unzipSync(readFileSync(at(name)))[part] ?? []).toString();
const withRelation = (relation: string) => (text: string) =>
  (text === ""
    ? '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>'
    : text
  ).replace("</Relationships>", `${relation}</Relationships>`);

test.each(["potx", "ppsx", "pptm"] as const)(
  "writes a .pptx from a .%s with the type of a presentation [S-40]",
  async (kind) => {
    const macro = `<Relationship Id="rId99" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/>`;
    await writeDeck(`source.${kind}`, {
      "[Content_Types].xml": (text) =>
        text
          .replace(TYPES.pptx, TYPES[kind])
          .replace(
            "</Types>",
            '<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/></Types>',
          ),
      ...(kind === "pptm"
        ? { "ppt/vbaProject.bin": "macros", "ppt/_rels/presentation.xml.rels": withRelation(macro) }
        : {}),
    });
    await succeed(
      "create",
      '[{"title":"New"}]',
      "--template",
      `source.${kind}`,
      "--out",
      `made-${kind}.pptx`,
    );
    await succeed("metadata", `source.${kind}`, "--title", "T", "--out", `titled-${kind}.pptx`);
    for (const name of [`made-${kind}.pptx`, `titled-${kind}.pptx`]) {
      expect(textOf(name, "[Content_Types].xml")).toContain(TYPES.pptx);
      expect(textOf(name, "[Content_Types].xml")).not.toContain(TYPES[kind]);
      expect(textOf(name, "ppt/vbaProject.bin")).toBe("");
      expect(inspectPackage(at(name)).problems).toEqual([]);
    }
  },
);

test("gives new relationship parts a content type when the deck lists them by name [S-40]", async () => {
  const base = unzipSync(
    await (async () => {
      await writeDeck("plain.pptx");
      return readFileSync(at("plain.pptx"));
    })(),
  );
  const overrides = Object.keys(base)
    .filter((name) => name.endsWith(".rels"))
    .map(
      (name) =>
        `<Override PartName="/${name}" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`,
    );
  await writeDeck("listed.pptx", {
    "[Content_Types].xml": (text) =>
      text
        .replace(/<Default Extension="rels"[^>]*>/, "")
        .replace("</Types>", `${overrides.join("")}</Types>`),
  });
  await succeed("duplicate", "listed.pptx", "--slides", "1", "--out", "copied.pptx");
  await succeed("notes", "listed.pptx", "--slide", "1", "--text", "Say it", "--out", "noted.pptx");
  for (const name of ["copied.pptx", "noted.pptx"]) expect(inspectPackage(at(name)).problems).toEqual([]);
});

test("reads the text of a SmartArt diagram in its order and levels [S-40]", async () => {
  const dgm =
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
  const point = (id: string, text: string) =>
    `<dgm:pt modelId="${id}"><dgm:t><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const link = (from: string, to: string, order: number) =>
    `<dgm:cxn modelId="c${from}${to}" srcId="${from}" destId="${to}" srcOrd="${order}" destOrd="0"/>`;
  const data = `<dgm:dataModel ${dgm}><dgm:ptLst><dgm:pt modelId="0" type="doc"/>${point("2", "Build")}${point("1", "Plan")}${point("3", "Draft")}<dgm:pt modelId="9" type="sibTrans"/></dgm:ptLst><dgm:cxnLst>${link("0", "2", 1)}${link("0", "1", 0)}${link("1", "3", 0)}</dgm:cxnLst></dgm:dataModel>`;
  const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="77" name="d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds ${dgm} xmlns:r="${RELATIONS}" r:dm="rId50" r:lo="rId50" r:qs="rId50" r:cs="rId50"/></a:graphicData></a:graphic></p:graphicFrame>`;
  await writeDeck("smart.pptx", {
    "ppt/diagrams/data1.xml": data,
    "ppt/slides/slide2.xml": (text) => text.replace("</p:spTree>", `${frame}</p:spTree>`),
    "ppt/slides/_rels/slide2.xml.rels": withRelation(
      `<Relationship Id="rId50" Type="${RELATIONS}/diagramData" Target="../diagrams/data1.xml"/>`,
    ),
  });
  expect(await succeed("read", "smart.pptx", "--slides", "2", "--format", "json")).toMatchObject({
    slides: [{ text: ["Plan", "  Draft", "Build"] }],
  });
});

test("reads both values of a scatter chart, as numbers [S-40]", async () => {
  const c = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"';
  const points = (...values: number[]) =>
    `<c:numRef><c:numCache>${values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join("")}</c:numCache></c:numRef>`;
  const chart = `<c:chartSpace ${c}><c:chart><c:plotArea><c:scatterChart><c:ser><c:xVal>${points(0.7, 1.8)}</c:xVal><c:yVal>${points(2.7, 3.2)}</c:yVal></c:ser></c:scatterChart></c:plotArea></c:chart></c:chartSpace>`;
  const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="78" name="c"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="u"><c:chart ${c} xmlns:r="${RELATIONS}" r:id="rId51"/></a:graphicData></a:graphic></p:graphicFrame>`;
  await writeDeck("scatter.pptx", {
    "ppt/charts/chart9.xml": chart,
    "ppt/slides/slide2.xml": (text) => text.replace("</p:spTree>", `${frame}</p:spTree>`),
    "ppt/slides/_rels/slide2.xml.rels": withRelation(
      `<Relationship Id="rId51" Type="${RELATIONS}/chart" Target="../charts/chart9.xml"/>`,
    ),
  });
  expect(await succeed("read", "scatter.pptx", "--slides", "2", "--format", "json")).toMatchObject({
    slides: [{ charts: [{ type: "scatter", series: [{ x: [0.7, 1.8], values: [2.7, 3.2] }] }] }],
  });
  expect(await succeed("read", "scatter.pptx", "--slides", "2")).toMatchObject({
    text: expect.stringContaining("0.7"),
  });
});

test("reads comments of reviewers and footers [S-40]", async () => {
  const p = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';
  const footer =
    '<p:sp><p:nvSpPr><p:cNvPr id="79" name="f"/><p:cNvSpPr/><p:nvPr><p:ph type="ftr"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>Internal</a:t></a:r></a:p></p:txBody></p:sp>';
  await writeDeck("review.pptx", {
    "ppt/commentAuthors.xml": `<p:cmAuthorLst ${p}><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>`,
    "ppt/comments/comment1.xml": `<p:cmLst ${p}><p:cm authorId="0" dt="2026-01-01T00:00:00"><p:pos x="1" y="1"/><p:text>Too long</p:text></p:cm></p:cmLst>`,
    "ppt/_rels/presentation.xml.rels": withRelation(
      `<Relationship Id="rId80" Type="${RELATIONS}/commentAuthors" Target="commentAuthors.xml"/>`,
    ),
    "ppt/slides/slide2.xml": (text) => text.replace("</p:spTree>", `${footer}</p:spTree>`),
    "ppt/slides/_rels/slide2.xml.rels": withRelation(
      `<Relationship Id="rId52" Type="${RELATIONS}/comments" Target="../comments/comment1.xml"/>`,
    ),
  });
  expect(await succeed("read", "review.pptx", "--slides", "2", "--format", "json")).toMatchObject({
    slides: [{ footer: "Internal", comments: [{ author: "Ada", text: "Too long" }] }],
  });
  expect(await succeed("info", "review.pptx")).toMatchObject({ slides: { items: [{}, { comments: 1 }] } });
});

test("does not copy the title and author of a template deck [S-40]", async () => {
  await succeed(
    "create",
    '[{"title":"Old"}]',
    "--title",
    "Standard",
    "--author",
    "yegor",
    "--out",
    "theme.pptx",
  );
  const made = await succeed("create", '[{"title":"New"}]', "--template", "theme.pptx", "--out", "new.pptx");
  expect(made).toMatchObject({ properties: {} });
  expect(textOf("new.pptx", "docProps/core.xml")).not.toMatch(/yegor|Standard/);
});
