import { unzipSync } from "fflate";
import { readAsset } from "./asset.ts";

/** Gives PDF.js the predefined character maps, which most East Asian files name instead of containing one. */
export class CharacterMaps {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    const found = kind === "cMapUrl" ? readMap(filename) : undefined;
    if (found === undefined) throw new Error(`There is no ${filename}.`);
    return found;
  }
}

function readMap(filename: string): Uint8Array | undefined {
  return unzipSync(readAsset("cmaps.zip"), { filter: ({ name }) => name === filename })[filename];
}
