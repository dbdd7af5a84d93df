import { clip, readInteger } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { formatRanges, parseRanges } from "../shared/range.ts";
import { findTables, type Table } from "./find-tables.ts";
import { passwordOptions, readPassword, readPdfFile } from "./open-pdf.ts";
import { pageOptions } from "./page-option.ts";
import { allRuns, openTextLayer } from "./text-layer.ts";
import { groupLines } from "./text-line.ts";

const ROW_COUNT = 300;
const CELL_LENGTH = 500;

export const tablesCommand = defineCommand({
  name: "tables",
  summary: "Read tables as rows of cells, found by the position of their text",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    ...pageOptions,
    rows: { type: "string", value: "n", help: `At most this many rows in all (default ${ROW_COUNT})` },
    ...passwordOptions,
  },
  details: `
A PDF has no tables, only text in places: check the rows against the text where numbers matter. Where "truncated" is
true, call again with --pages set to "nextPages".

Example: tables invoice.pdf --pages 1`,
  run: async ({ operands: [path = ""], options }, io) => {
    const limit = readInteger("rows", options.rows, { min: 1, max: 5000 }) ?? ROW_COUNT;
    const file = await readPdfFile(path, io);
    const layer = await openTextLayer(file, (await readPassword(options, io)) ?? "");
    try {
      const indexes = parseRanges(options.pages, layer.pageCount, "page");
      const tables: JsonObject[] = [];
      let rows = 0;
      for (const [at, index] of indexes.entries()) {
        const found = findTables(groupLines(allRuns(await layer.readPage(index))));
        const count = found.reduce((sum, table) => sum + table.length, 0);
        if (rows > 0 && rows + count > limit) {
          return { file: path, tables, truncated: true, nextPages: formatRanges(indexes.slice(at)) };
        }
        rows += count;
        tables.push(...found.map((table) => ({ page: index + 1, ...describe(table, limit) })));
      }
      return { file: path, tables, truncated: false };
    } finally {
      await layer.close();
    }
  },
});

function describe(table: Table, limit: number): JsonObject {
  const rows = table.slice(0, limit).map((row) => row.map((cell) => clip(cell, CELL_LENGTH)));
  return {
    columns: table[0]?.length ?? 0,
    rows,
    ...(table.length > limit ? { totalRows: table.length } : {}),
  };
}
