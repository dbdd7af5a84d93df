import { writeOfficeZip } from "../shared/office-zip.ts";

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml";

/** The parts beside the body, by kind: `styles`, `comments`, `footnotes`, `header`. Each is the inside of its root. */
export type ExtraParts = Readonly<Record<string, string>>;

const roots: Readonly<Record<string, string>> = { header: "hdr", footer: "ftr", numbering: "numbering" };

/** A document as another program would write it, from the XML of its body. */
export function makeDocx(body: string, extra: ExtraParts = {}): Uint8Array {
  const kinds = Object.keys(extra);
  const overrides = kinds.map(
    (kind) => `<Override PartName="/word/${kind}.xml" ContentType="${TYPE}.${kind}+xml"/>`,
  );
  const relations = kinds.map(
    (kind, index) => `<Relationship Id="rId${index + 1}" Type="${RELATION}/${kind}" Target="${kind}.xml"/>`,
  );
  const files: Record<string, string> = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${TYPE}.document.main+xml"/>${overrides.join("")}</Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATION}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join("")}</Relationships>`,
    "word/document.xml": `<w:document ${W} ${R}><w:body>${body}</w:body></w:document>`,
  };
  for (const [kind, inside] of Object.entries(extra)) {
    const root = roots[kind] ?? kind;
    files[`word/${kind}.xml`] = `<w:${root} ${W} ${R}>${inside}</w:${root}>`;
  }
  return writeOfficeZip(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])));
}

/** A paragraph of runs: a text is a plain run, a pair is one with properties. */
export function paragraph(...runs: readonly (string | readonly [string, string])[]): string {
  return `<w:p>${runs.map(toRun).join("")}</w:p>`;
}

function toRun(run: string | readonly [string, string]): string {
  const [properties, text] = typeof run === "string" ? ["", run] : run;
  return `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
}
