import { readFileSync, writeFileSync } from "node:fs";
import { Workbook as ExcelTs } from "@cj-tech-master/excelts";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { tinyPng } from "../shared/office-oracle.fixture.ts";

/**
 * Writes a workbook with a picture, a chart, notes and a table, all at or below rows 2 to 4 of the sheet Sales.
 * Another library makes all of it except the chart, which it does not support.
 */
export async function writeChartWorkbook(path: string): Promise<void> {
  const workbook = new ExcelTs();
  const sheet = workbook.addWorksheet("Sales");
  sheet.addTable({
    name: "Sold",
    ref: "A1",
    headerRow: true,
    columns: [{ name: "Item" }, { name: "Price" }],
    rows: [
      ["Pen", 1.5],
      ["Ink", 12],
      ["Cap", 8],
    ],
  });
  sheet.getCell("A2").note = "The blue one";
  sheet.getCell("A4").note = "The red one";
  const image = workbook.addImage({ buffer: tinyPng, extension: "png" });
  sheet.addImage(image, { tl: { col: 3, row: 5 }, br: { col: 5, row: 8 } });
  addChart(path, await workbook.xlsx.writeBuffer());
}

function addChart(path: string, bytes: Uint8Array): void {
  const parts = unzipSync(bytes);
  const patch = (name: string, change: (text: string) => string) => {
    parts[name] = strToU8(change(strFromU8(parts[name] ?? new Uint8Array())));
  };
  patch("xl/drawings/drawing1.xml", (text) => text.replace("</xdr:wsDr>", `${ANCHOR}</xdr:wsDr>`));
  patch("xl/drawings/_rels/drawing1.xml.rels", (text) =>
    text.replace("</Relationships>", `${RELATION}</Relationships>`),
  );
  patch("[Content_Types].xml", (text) => text.replace("</Types>", `${TYPE}</Types>`));
  parts["xl/charts/chart1.xml"] = strToU8(CHART);
  writeFileSync(path, zipSync(parts));
}

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DRAWING = "http://schemas.openxmlformats.org/drawingml/2006";
const RELATION = `<Relationship Id="rIdChart" Type="${OFFICE}/chart" Target="../charts/chart1.xml"/>`;
const TYPE =
  '<Override PartName="/xl/charts/chart1.xml" ContentType="application/vnd.openxmlformats-officedocument.drawingml.chart+xml"/>';

const ANCHOR =
  "<xdr:twoCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>9</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from>" +
  "<xdr:to><xdr:col>9</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>20</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to>" +
  '<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="9" name="Chart"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>' +
  '<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>' +
  `<a:graphic><a:graphicData uri="${DRAWING}/chart"><c:chart xmlns:c="${DRAWING}/chart" xmlns:r="${OFFICE}" r:id="rIdChart"/>` +
  "</a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>";

const CHART =
  `<c:chartSpace xmlns:c="${DRAWING}/chart" xmlns:a="${DRAWING}/main"><c:chart><c:plotArea><c:layout/><c:barChart>` +
  '<c:barDir val="col"/><c:grouping val="clustered"/><c:ser><c:idx val="0"/><c:order val="0"/>' +
  "<c:tx><c:strRef><c:f>Sales!$B$1</c:f></c:strRef></c:tx><c:cat><c:strRef><c:f>Sales!$A$2:$A$4</c:f></c:strRef></c:cat>" +
  "<c:val><c:numRef><c:f>Sales!$B$2:$B$4</c:f></c:numRef></c:val></c:ser>" +
  '<c:axId val="1"/><c:axId val="2"/></c:barChart>' +
  '<c:catAx><c:axId val="1"/><c:scaling/><c:delete val="0"/><c:axPos val="b"/><c:crossAx val="2"/></c:catAx>' +
  '<c:valAx><c:axId val="2"/><c:scaling/><c:delete val="0"/><c:axPos val="l"/><c:crossAx val="1"/></c:valAx>' +
  "</c:plotArea></c:chart></c:chartSpace>";

/** Makes an .xlsm file of an .xlsx file. Returns the bytes of the macros, which are opaque to the code under test. */
export function addMacros(from: string, to: string): Uint8Array {
  const parts = unzipSync(readFileSync(from));
  const macros = Uint8Array.from({ length: 5000 }, (_, index) => (index * 31) % 256);
  const types = strFromU8(parts["[Content_Types].xml"] ?? new Uint8Array())
    .replace(
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
      "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
    )
    .replace(
      "</Types>",
      '<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/></Types>',
    );
  const relations = strFromU8(parts["xl/_rels/workbook.xml.rels"] ?? new Uint8Array()).replace(
    "</Relationships>",
    '<Relationship Id="rIdVba" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/></Relationships>',
  );
  parts["[Content_Types].xml"] = strToU8(types);
  parts["xl/_rels/workbook.xml.rels"] = strToU8(relations);
  parts["xl/vbaProject.bin"] = macros;
  writeFileSync(to, zipSync(parts));
  return macros;
}
