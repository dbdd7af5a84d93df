import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Embedder, Reranker } from "@skillhold/core/search";
import type { ModelPorts } from "@skillhold/core/semantic";
import { SkillError } from "@skillhold/protocol/error";
import { dataFolder } from "../place/data-folder.ts";
import type { Env } from "../place/machine.ts";

/** The models of a command's searches, until they are closed. */
export interface OpenModels {
  /** Undefined when the search uses words alone. */
  readonly ports: ModelPorts | undefined;
  close(): Promise<void>;
}

const NO_MODELS: OpenModels = { ports: undefined, close: async () => {} };
/** A query waits for its vector this long; documents are embedded in the background. */
const EMBED_MS = 10_000;
const RERANK_MS = 10_000;

/** Where `search --setup` installs the model that runs on this machine. */
export function modelFolder(env: Env): string {
  return join(dataFolder(env), "models");
}

/**
 * Opens the models that the environment names. `SKILLHOLD_EMBEDDER` is the address of an OpenAI-compatible API, `local`
 * for the installed model or `off`; without it, the installed model is used if there is one. `SKILLHOLD_RERANKER` is
 * the address of a chat API, or of a `/rerank` endpoint.
 */
export async function openModels({ env }: { readonly env: Env }): Promise<OpenModels> {
  const wanted = env["SKILLHOLD_EMBEDDER"] ?? "";
  const places = modelPlaces(env);
  const hasLocal = places.length > 0;
  const isEmbedding = wanted === "" ? hasLocal : wanted !== "off";
  if (!isEmbedding && !env["SKILLHOLD_RERANKER"]) return NO_MODELS;
  const semantic = await import("@skillhold/core/semantic");
  const reranker = openReranker(env, semantic);
  const clock = { now: () => new Date() };
  if (!isEmbedding) return { ports: { reranker, clock }, close: NO_MODELS.close };
  if (wanted !== "" && wanted !== "local") {
    const endpoint = { ...readEndpoint(env, "SKILLHOLD_EMBEDDER"), timeoutMs: EMBED_MS };
    const embedder: Embedder = semantic.httpEmbedder(endpoint, { fetch });
    return { ports: { embedder, reranker, clock }, close: NO_MODELS.close };
  }
  const model = semantic.findLocalModel(places);
  if (model === undefined) {
    if (wanted === "local")
      throw new SkillError(
        "CONFIG_INVALID",
        "SKILLHOLD_EMBEDDER is local, and no local model is installed.",
        {
          hint: "Run `skillhold search --setup` to install it.",
        },
      );
    return reranker === undefined ? NO_MODELS : { ports: { reranker, clock }, close: NO_MODELS.close };
  }
  const embedder = new semantic.LocalEmbedder(model);
  return { ports: { embedder, reranker, clock }, close: () => embedder.close() };
}

/** The folder itself, and the environments that the installer made in it, the newest first. */
function modelPlaces(env: Env): readonly string[] {
  const folder = findDataFolder(env, "models");
  if (folder === undefined || !existsSync(folder)) return [];
  const environments = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
    .map(({ name }) => join(folder, name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return [folder, ...environments];
}

/** Undefined on a machine without a folder for data. */
function findDataFolder(env: Env, name: string): string | undefined {
  try {
    return join(dataFolder(env), name);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

function openReranker(env: Env, semantic: typeof import("@skillhold/core/semantic")): Reranker | undefined {
  if (!env["SKILLHOLD_RERANKER"]) return undefined;
  const { url, ...endpoint } = { ...readEndpoint(env, "SKILLHOLD_RERANKER"), timeoutMs: RERANK_MS };
  const isRerank = /\/rerank\/?$/.test(url);
  if (!isRerank) return semantic.chatReranker({ ...endpoint, url }, { fetch });
  return semantic.rerankEndpoint({ ...endpoint, url: url.replace(/\/rerank\/?$/, "") }, { fetch });
}

function readEndpoint(env: Env, name: "SKILLHOLD_EMBEDDER" | "SKILLHOLD_RERANKER") {
  const address = env[name] ?? "";
  const [model, key] = [env[`${name}_MODEL`], env[`${name}_KEY`]];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "")
    throw new SkillError(
      "CONFIG_INVALID",
      `${name} is not an address that starts with http:// or https://.`,
      {
        hint: `Set ${name} to a base address such as http://localhost:11434/v1, without a user or password.`,
      },
    );
  if (!model)
    throw new SkillError("CONFIG_INVALID", `${name}_MODEL is not set.`, {
      hint: `Set ${name}_MODEL to the name of the model at ${url.host}.`,
    });
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (key && url.protocol === "http:" && !isLoopback)
    throw new SkillError("CONFIG_INVALID", `${name}_KEY would be sent to ${url.host} without TLS.`, {
      hint: `Use an https:// address in ${name}.`,
    });
  return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, ""), model, key: key || undefined };
}
