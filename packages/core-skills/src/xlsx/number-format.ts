/** The formats that a workbook knows by number without writing them out; those that differ by country as in English. */
const builtIn: ReadonlyMap<number, string> = new Map([
  [0, "General"],
  [1, "0"],
  [2, "0.00"],
  [3, "#,##0"],
  [4, "#,##0.00"],
  [9, "0%"],
  [10, "0.00%"],
  [11, "0.00E+00"],
  [12, "# ?/?"],
  [13, "# ??/??"],
  [14, "mm-dd-yy"],
  [15, "d-mmm-yy"],
  [16, "d-mmm"],
  [17, "mmm-yy"],
  [18, "h:mm AM/PM"],
  [19, "h:mm:ss AM/PM"],
  [20, "h:mm"],
  [21, "h:mm:ss"],
  [22, "m/d/yy h:mm"],
  [37, "#,##0 ;(#,##0)"],
  [38, "#,##0 ;[Red](#,##0)"],
  [39, "#,##0.00;(#,##0.00)"],
  [40, "#,##0.00;[Red](#,##0.00)"],
  [45, "mm:ss"],
  [46, "[h]:mm:ss"],
  [47, "mmss.0"],
  [48, "##0.0E+0"],
  [49, "@"],
]);

/** Date formats of East Asian versions; their text depends on the locale. */
const isLocalDate = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

export const DATE_FORMAT = "yyyy-mm-dd";
export const DATE_TIME_FORMAT = "yyyy-mm-dd hh:mm:ss";
export const TIME_FORMAT = "hh:mm:ss";

export function builtInFormat(id: number): string {
  return builtIn.get(id) ?? (isLocalDate(id) ? DATE_FORMAT : "General");
}

export function builtInId(format: string): number | undefined {
  // Excel shows format 14 in the reader's locale, so a format that was requested as text is written as text.
  for (const [id, known] of builtIn) if (known === format && (id < 14 || id === 49)) return id;
  return undefined;
}

/** Whether numbers under this format are dates or times. Durations (`[h]:mm`) are numbers. */
export function isDateFormat(format: string): boolean {
  const [positive = ""] = format.split(";");
  const bare = positive.replace(/"[^"]*"|\\.|_.|\*./g, "");
  if (/\[(h+|m+|s+)\]/i.test(bare)) return false;
  return /[dmyhs]/i.test(bare.replace(/\[[^\]]*\]/g, "").replace(/general/gi, ""));
}
