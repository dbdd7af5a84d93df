import { mkdir } from "node:fs/promises";
import { localModelPackages } from "@skillhold/core/semantic";
import { cacheRuntimes, installDependencies } from "@skillhold/deps/environment";
import { shortPath } from "@skillhold/host/place";
import { chooseSandbox, systemHost } from "@skillhold/host/run";
import { modelFolder } from "@skillhold/host/search";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { Opened } from "./open.ts";
import { type Io, plain } from "./terminal/output.ts";
import { count } from "./terminal/text.ts";

const { engine, weights } = localModelPackages;

/** Explains and installs the model that runs on this machine. Scripts of packages are not run. */
export async function installModel(io: Io): Promise<void> {
  const folder = modelFolder(io.env);
  const specs = [engine, weights].map(({ name, version }) => `npm:${name}@${version}`);
  io.err(
    `Search ranks by words. An embedder adds the meaning of names and descriptions, offline and on this machine.\n` +
      `${engine.name} ${engine.version} (MIT) and ${weights.name} ${weights.version} (Apache-2.0), 48 MB, ` +
      `are installed into ${shortPath(io, folder)}.\n` +
      "A skill takes about 0.3 s of processor time once. SKILLHOLD_EMBEDDER=off switches the embedder off, and an " +
      "address of an OpenAI-compatible API in it uses that one instead.\n",
  );
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { results } = await installDependencies(
    { skill: "search", specs },
    {
      home: folder,
      findRuntime: cacheRuntimes(),
      limits: defaultLimits,
      host: systemHost(io),
      sandbox: chooseSandbox(io),
      // The user asked for exactly these packages.
      clear: async () => undefined,
    },
    { signal: io.signal },
  );
  const failed = results.filter(({ status }) => status === "failed");
  if (failed.length === 0) return;
  throw new SkillError("IO_FAILED", failed.map(({ message }) => message).join("\n"), {
    hint: "Check that npm is installed and can reach its registry. Search works without the model.",
  });
}

/** Computes the vectors of all skills, and prints how many there are. */
export async function prepareVectors(io: Io, { search }: Pick<Opened, "search">): Promise<void> {
  const state = await search?.prepare();
  const vectors = state?.vectors;
  if (vectors === undefined) {
    io.err("There is no embedder. Search ranks by words.\n");
    return;
  }
  if (vectors.problem !== undefined)
    throw new SkillError("REMOTE_FAILED", plain(vectors.problem), {
      hint: "Search works without the embedder. `skillhold doctor` shows its state.",
    });
  io.err(`${vectors.embedder} is ready with ${count(vectors.ready, "vector")}.\n`);
}
