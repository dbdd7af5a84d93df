import { existsSync, readFileSync } from "node:fs";

/** Built scripts have their data files in `lib/`. The sources use those of the built skill. */
const FOLDERS = ["./lib/", "../../../../skills/pdf/scripts/lib/"] as const;

/** Reads a data file that the build puts beside the program. */
export function readAsset(name: "cmaps.zip" | "pdfium.wasm"): Uint8Array {
  const places = FOLDERS.map((folder) => new URL(`${folder}${name}`, import.meta.url));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`The skill is incomplete: scripts/lib/${name} is missing.`);
  return new Uint8Array(readFileSync(found));
}
