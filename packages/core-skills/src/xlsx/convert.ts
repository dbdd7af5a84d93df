import { extname } from "node:path";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { type InputFile, readInput } from "../shared/input-file.ts";
import { chooseOutput, type Output, outputOptions, writeOutput } from "../shared/output-file.ts";
import { inputError, usageError } from "../shared/script-error.ts";
import { columnLetters, MAX_COLUMN, MAX_ROW } from "./cell-address.ts";
import { textInput } from "./cell-input.ts";
import { formatCsv, isFormulaLike, parseCsv, readDelimiter, readField } from "./csv.ts";
import { guardWorkbook } from "./guard.ts";
import { countUncalculated, readRowValues } from "./sheet-reading.ts";
import { Workbook } from "./workbook.ts";

export const convertCommand = defineCommand({
  name: "convert",
  summary: "Turn CSV into a workbook, or a sheet into CSV",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    ...outputOptions,
    sheet: {
      type: "string",
      value: "name",
      help: "The sheet to read (default: the first), or the name of the new one",
    },
    delimiter: {
      type: "string",
      value: "char",
      help: "One character or tab (default: found out; writing: a comma)",
    },
    text: { type: "boolean", help: "CSV to workbook: keep every field as text" },
    raw: { type: "boolean", help: "Workbook to CSV: no apostrophe before text that looks like a formula" },
  },
  details: `
convert data.csv --out data.xlsx
convert data.xlsx --sheet Orders --out orders.csv

The kind of --out decides (.xlsx, .csv, .tsv). From CSV, numbers, true/false and ISO dates become such; codes with leading zeros
stay text, and no field becomes a formula. To CSV, text that starts with = + - or @ gets an apostrophe in front,
because spreadsheets run it as a formula; --raw leaves it, for programs that read data only.`,
  async run({ operands: [path = ""], options }, io): Promise<JsonObject> {
    const file = await readInput(path, io);
    const output = await chooseOutput(options, [file], io);
    const kind = extname(output.path).toLowerCase();
    if (kind === ".xlsx") return csvToWorkbook(file, output, options);
    if (kind === ".csv" || kind === ".tsv") return sheetToCsv(file, output, options);
    throw usageError("--out ends in .xlsx, .csv or .tsv.");
  },
});

interface ConvertOptions {
  readonly sheet?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly text?: boolean | undefined;
  readonly raw?: boolean | undefined;
}

async function csvToWorkbook(file: InputFile, output: Output, options: ConvertOptions): Promise<JsonObject> {
  const text = decodeText(file);
  const { rows, delimiter } = parseCsv(text, readDelimiter(options.delimiter));
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (rows.length > MAX_ROW || columns > MAX_COLUMN) {
    throw inputError(
      "TOO_MANY_CELLS",
      `${file.path} has ${rows.length} rows and ${columns} columns: no sheet holds them.`,
    );
  }
  const workbook = Workbook.blank();
  const sheet = workbook.sheet(workbook.addSheet(options.sheet ?? sheetName(file)).name);
  const readValue = options.text === true ? textInput : readField;
  for (const [index, row] of rows.entries()) {
    for (const [position, field] of row.entries()) {
      sheet.set({ row: index + 1, column: position + 1 }, readValue(field));
    }
  }
  const bytes = workbook.toBytes();
  guardWorkbook(undefined, bytes, output.path, workbook.edits);
  const written = await writeOutput(output, bytes);
  const local = options.text === true ? [] : findLocal(rows, columns);
  const warnings = local.map(
    (letter) => `Column ${letter} has numbers with a decimal comma or dates with points, which stay text.`,
  );
  return {
    sheet: sheet.name,
    rows: rows.length,
    columns,
    delimiter,
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, 20) }),
    written,
  };
}

async function sheetToCsv(file: InputFile, output: Output, options: ConvertOptions): Promise<JsonObject> {
  const workbook = Workbook.open(file);
  const sheet = workbook.sheet(options.sheet);
  const used = sheet.usedRange();
  // From A1 on, so that columns keep their places.
  const range = { top: 1, left: 1, bottom: used?.bottom ?? 0, right: used?.right ?? 0 };
  const rows = [...readRowValues(workbook, sheet, range, false)];
  const isRaw = options.raw ?? false;
  const fallback = extname(output.path).toLowerCase() === ".tsv" ? "\t" : ",";
  const delimiter = readDelimiter(options.delimiter) ?? fallback;
  const csv = formatCsv(rows, { delimiter, isRaw });
  const risky = rows.flat().filter((value) => typeof value === "string" && isFormulaLike(value)).length;
  const uncalculated = countUncalculated(sheet, range);
  return {
    sheet: sheet.name,
    rows: rows.length,
    columns: range.right,
    ...(risky === 0 ? {} : { formulaLike: { fields: risky, escaped: !isRaw } }),
    ...(uncalculated === 0 ? {} : { uncalculated }),
    written: await writeOutput(output, new TextEncoder().encode(csv)),
  };
}

/** Text with a byte order mark says its encoding. Other text that is not UTF-8 is most often Windows-1252. */
function decodeText({ bytes, path }: InputFile): string {
  const mark = `${bytes[0]},${bytes[1]}`;
  if (mark === "255,254") return new TextDecoder("utf-16le").decode(bytes);
  if (mark === "254,255") return new TextDecoder("utf-16be").decode(bytes);
  if (bytes.includes(0)) {
    throw inputError("NOT_TEXT", `${path} is not text.`, "Only CSV text can become a workbook.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Columns of text that look like numbers with a decimal comma or like dates with points. */
function findLocal(rows: readonly (readonly string[])[], columns: number): readonly string[] {
  return Array.from({ length: columns }, (_, column) => column).flatMap((column) => {
    const fields = rows
      .slice(1, 1000)
      .map((row) => row[column]?.trim() ?? "")
      .filter((field) => field !== "");
    const isLocal = (field: string) =>
      /^-?\d{1,3}(\.\d{3})*,\d+$|^-?\d+,\d+$|^\d{1,2}\.\d{1,2}\.\d{4}$/.test(field);
    return fields.length > 0 && fields.every(isLocal) ? [columnLetters(column + 1)] : [];
  });
}

function sheetName({ name }: InputFile): string {
  const stem = name
    .replace(/\.[^.]*$/, "")
    .replace(/[:\\/?*[\]']/g, " ")
    .trim();
  return stem.slice(0, 31).trim() || "Sheet1";
}
