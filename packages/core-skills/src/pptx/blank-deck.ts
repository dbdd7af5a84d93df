import { OfficePackage } from "../shared/office-package.ts";
import { XML_HEAD } from "../shared/xml.ts";
import { blankLayouts, FIRST_ID, layoutXml, masterXml, notesMasterXml } from "./blank-master.ts";
import { type Palette, themeXml } from "./blank-theme.ts";
import { Deck } from "./deck.ts";

const TYPE = "application/vnd.openxmlformats-officedocument.presentationml";
const RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN = "ppt/presentation.xml";
const MASTER = "ppt/slideMasters/slideMaster1.xml";
const NOTES_MASTER = "ppt/notesMasters/notesMaster1.xml";

/** A deck without slides, 16:9, with the layouts that most slides need. */
export function makeBlankDeck(palette?: Palette): Deck {
  const bytes = new Uint8Array();
  const types = Buffer.from(
    `${XML_HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`,
  );
  const file = { path: "the new deck", absolute: "", name: "new.pptx", bytes };
  const pkg = new OfficePackage(file, new Map([["[Content_Types].xml", types]]));
  addMaster(pkg, palette);
  addNotesMaster(pkg);
  const master = pkg.relate(MAIN, `${RELATION}/slideMaster`, MASTER);
  const notes = pkg.relate(MAIN, `${RELATION}/notesMaster`, NOTES_MASTER);
  pkg.set(MAIN, presentationXml(master, notes), `${TYPE}.presentation.main+xml`);
  pkg.relate("", `${RELATION}/officeDocument`, MAIN);
  addSettings(pkg);
  return new Deck(pkg);
}

function addMaster(pkg: OfficePackage, palette: Palette | undefined): void {
  const theme = "ppt/theme/theme1.xml";
  pkg.set(theme, themeXml("Plain", palette), "application/vnd.openxmlformats-officedocument.theme+xml");
  const ids = blankLayouts.map((layout, index) => {
    const name = `ppt/slideLayouts/slideLayout${index + 1}.xml`;
    pkg.set(name, layoutXml(layout), `${TYPE}.slideLayout+xml`);
    pkg.relate(name, `${RELATION}/slideMaster`, MASTER);
    return pkg.relate(MASTER, `${RELATION}/slideLayout`, name);
  });
  pkg.relate(MASTER, `${RELATION}/theme`, theme);
  pkg.set(MASTER, masterXml(ids), `${TYPE}.slideMaster+xml`);
}

function addNotesMaster(pkg: OfficePackage): void {
  const theme = "ppt/theme/theme2.xml";
  pkg.set(theme, themeXml("Notes"), "application/vnd.openxmlformats-officedocument.theme+xml");
  pkg.set(NOTES_MASTER, notesMasterXml(), `${TYPE}.notesMaster+xml`);
  pkg.relate(NOTES_MASTER, `${RELATION}/theme`, theme);
}

function addSettings(pkg: OfficePackage): void {
  const space = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
  const slides = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';
  pkg.set("ppt/presProps.xml", `${XML_HEAD}<p:presentationPr ${slides}/>`, `${TYPE}.presProps+xml`);
  pkg.relate(MAIN, `${RELATION}/presProps`, "ppt/presProps.xml");
  pkg.relate(MAIN, `${RELATION}/theme`, "ppt/theme/theme1.xml");
  const tables = `${XML_HEAD}<a:tblStyleLst ${space} def="${TABLE_STYLE}"/>`;
  pkg.set("ppt/tableStyles.xml", tables, `${TYPE}.tableStyles+xml`);
  pkg.relate(MAIN, `${RELATION}/tableStyles`, "ppt/tableStyles.xml");
}

/** PowerPoint's own "Medium Style 2 – Accent 1", which every program knows by its id. */
export const TABLE_STYLE = "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}";

function presentationXml(master: string, notes: string): string {
  const spaces = [
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
    `xmlns:r="${RELATION}"`,
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"',
  ].join(" ");
  return `${XML_HEAD}<p:presentation ${spaces} saveSubsetFonts="1"><p:sldMasterIdLst><p:sldMasterId id="${FIRST_ID}" r:id="${master}"/></p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="${notes}"/></p:notesMasterIdLst><p:sldIdLst/><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`;
}
