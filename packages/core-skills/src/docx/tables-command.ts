import { type Blocks, plainText } from "../shared/block.ts";
import { boundList, clip, readInteger } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { ScriptError } from "../shared/script-error.ts";
import { readBlocks } from "./read-block.ts";
import { WordFile } from "./word-file.ts";

export const tablesCommand = defineCommand({
  name: "tables",
  summary: "Read the tables of a document as rows of cells",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: {
    table: { type: "string", value: "n", help: "Only this table, counted from 1" },
    rows: { type: "string", value: "n", help: "At most this many rows of each table (default 50)" },
    skip: { type: "string", value: "n", help: "Leave out this many rows first, to read on" },
  },
  run: async ({ operands: [path = ""], options }, io) => {
    const file = await WordFile.open(path, io);
    const tables = tablesOf(readBlocks(file.body, file, file.main));
    const wanted = readInteger("table", options.table, { min: 1, max: 100_000 });
    if (wanted !== undefined && wanted > tables.length) {
      throw new ScriptError("NO_SUCH_TABLE", `${path} has ${tables.length} tables.`);
    }
    const rows = readInteger("rows", options.rows, { min: 1, max: 1000 }) ?? 50;
    const skip = readInteger("skip", options.skip, { min: 0, max: 1_000_000 }) ?? 0;
    const described = tables.map((cells, index) => describe(cells, index + 1, skip, rows));
    const chosen = wanted === undefined ? described : described.slice(wanted - 1, wanted);
    const { items, total, truncated } = boundList(chosen, MAX_TABLES);
    return { file: path, tables: items, total, truncated };
  },
});

const MAX_TABLES = 20;
const CELL_LENGTH = 500;
type Cells = readonly (readonly string[])[];

function tablesOf(blocks: Blocks): readonly Cells[] {
  return blocks.flatMap((block) => {
    if (block.type !== "table") return [];
    return [
      [block.header, ...block.rows].map((row) => row.map((cell) => clip(plainText(cell), CELL_LENGTH))),
    ];
  });
}

function describe(cells: Cells, table: number, skip: number, rows: number): JsonObject {
  const { items, truncated } = boundList(cells.slice(skip), rows);
  return {
    table,
    columns: cells[0]?.length ?? 0,
    totalRows: cells.length,
    rows: items,
    truncated,
    ...(truncated ? { nextSkip: skip + items.length } : {}),
  };
}
