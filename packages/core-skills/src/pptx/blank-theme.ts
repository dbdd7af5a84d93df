import { XML_HEAD } from "../shared/xml.ts";

const colors = [
  ...[
    ["dk1", "1A1A1A"] as const,
    ["lt1", "FFFFFF"] as const,
    ["dk2", "1F2A44"] as const,
    ["lt2", "EEF1F6"] as const,
  ],
  ...[["accent1", "2F5D9B"] as const, ["accent2", "D9822B"] as const, ["accent3", "3C8D5A"] as const],
  ...[["accent4", "8A4F9E"] as const, ["accent5", "C0453A"] as const, ["accent6", "4A9CA8"] as const],
  ...[["hlink", "1D5FBF"] as const, ["folHlink", "6B4FA0"] as const],
];

/** The accent colors of a new deck, which charts, tables and links use. */
export type Palette = readonly string[];
export const PALETTE_SIZE = 6;

/** The colors and fonts of a new deck. A palette replaces the first accent colors. The schema wants three of each kind of fill, line and effect. */
export function themeXml(name: string, palette: Palette = []): string {
  const scheme = colors
    .map(([key, value]) => {
      const accent = palette[Number(/^accent(\d)$/.exec(key)?.[1]) - 1] ?? value;
      return `<a:${key}><a:srgbClr val="${accent}"/></a:${key}>`;
    })
    .join("");
  const font = (kind: string) =>
    `<a:${kind}Font><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:${kind}Font>`;
  const fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>';
  const line = (width: number) => `<a:ln w="${width}">${fill}<a:prstDash val="solid"/></a:ln>`;
  const effect = "<a:effectStyle><a:effectLst/></a:effectStyle>";
  return `${XML_HEAD}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="${name}">
<a:themeElements><a:clrScheme name="${name}">${scheme}</a:clrScheme>
<a:fontScheme name="${name}">${font("major")}${font("minor")}</a:fontScheme>
<a:fmtScheme name="${name}"><a:fillStyleLst>${fill.repeat(3)}</a:fillStyleLst>
<a:lnStyleLst>${line(6350)}${line(12700)}${line(19050)}</a:lnStyleLst>
<a:effectStyleLst>${effect.repeat(3)}</a:effectStyleLst>
<a:bgFillStyleLst>${fill.repeat(3)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements>
<a:objectDefaults/><a:extraClrSchemeLst/></a:theme>`;
}
