import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { zipSync } from "fflate";
import { writeIfChanged } from "./write-if-changed.ts";

/** Copies the data files that a program reads at run time into `lib/`. Returns the files that they come from. */
export function writeAssets(id: string, folder: string): readonly string[] {
  if (id !== "pdf") return [];
  mkdirSync(folder, { recursive: true });
  const wasm = require.resolve("@hyzyla/pdfium/pdfium.wasm");
  writeIfChanged(join(folder, "pdfium.wasm"), readFileSync(wasm));
  const maps = join(dirname(require.resolve("pdfjs-dist/package.json")), "cmaps");
  writeIfChanged(join(folder, "cmaps.zip"), packMaps(maps));
  return [wasm, join(maps, "LICENSE")];
}

const require = createRequire(import.meta.url);

/** One archive with the same bytes on every machine: ZIP has local time, so a local date gives the same bytes. */
function packMaps(folder: string): Uint8Array {
  const names = readdirSync(folder).filter((name) => name.endsWith(".bcmap"));
  const files = names
    .toSorted()
    .map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))] as const);
  return zipSync(Object.fromEntries(files), { mtime: new Date(1980, 0, 1), level: 9, os: 0 });
}
