import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { type Download, laidOut, layOutDownload, sha256 } from "./download.ts";
import { type Fetched, parseJson } from "./fetcher/index.ts";
import {
  type InstallSource,
  type LaidFile,
  layOut,
  makeWork,
  type SkillOrigin,
  type SourcePorts,
} from "./source.ts";
import { formatSource, type OciSpec } from "./source-spec.ts";
import { wrongDigest } from "./web-source.ts";

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const annotations = z.record(z.string(), z.string()).nullish();
const Descriptor = z.looseObject({
  mediaType: z.string().default(""),
  digest,
  size: z.number(),
  annotations,
  artifactType: z.string().nullish(),
});
const Manifest = z.looseObject({
  artifactType: z.string().nullish(),
  layers: z.array(Descriptor).max(2000).optional(),
  manifests: z.array(Descriptor).max(1000).optional(),
  annotations,
});
type Manifest = z.infer<typeof Manifest>;

const MANIFEST_TYPES = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");
const TITLE = "org.opencontainers.image.title";
const MANIFEST_BYTES = 4 * 1024 * 1024;

/** A skill in an OCI registry, in any of the forms in use: one tar layer, or one layer a file named by its title. */
export const ociSource: InstallSource<OciSpec> = {
  resolve: async (spec, ports) => {
    const registry = new OciRegistry(spec, ports);
    const found = await registry.manifest(spec.digest ?? spec.tag ?? "latest");
    const { layers = [], annotations: notes } = found.manifest;
    const tars = layers.filter(({ mediaType }) => /tar/.test(mediaType));
    const titled = layers.filter(
      (layer) => !tars.includes(layer) && layer.annotations?.[TITLE] !== undefined,
    );
    if (tars.length > 1)
      throw new SkillError(
        "ARCHIVE_INVALID",
        `${spec.repository} has ${tars.length} tar layers; a skill has one.`,
      );
    const [tar] = tars;
    const download: Download =
      tar === undefined
        ? await layOutFiles(titled, registry, ports)
        : await layOutDownload(await registry.blob(tar.digest), ports);
    const release = spec.tag ?? notes?.["org.opencontainers.image.version"];
    const canonical = formatSource(spec);
    const origin: SkillOrigin = {
      source: "oci",
      origin: spec.repository,
      originUrl: `https://${spec.host}/${spec.repository}`,
      ...(canonical === undefined ? {} : { spec: canonical }),
      ...(spec.tag === undefined ? {} : { ref: spec.tag }),
      publisher: `${spec.host}/${spec.repository.split("/")[0] ?? ""}`,
      ...(release === undefined ? {} : { release }),
      digests: { manifest: found.digest, ...(tar === undefined ? {} : { layer: tar.digest }) },
      verified: "digest",
    };
    const skills = download.skills.map((skill) =>
      skill.name === "" ? { ...skill, name: lastPart(spec.repository) } : skill,
    );
    return laidOut({ ...download, skills }, ({ path }) => ({ ...origin, ...(path === "." ? {} : { path }) }));
  },
};

function lastPart(repository: string): string {
  return repository.split("/").at(-1) ?? repository;
}

async function layOutFiles(
  layers: readonly z.infer<typeof Descriptor>[],
  registry: OciRegistry,
  ports: SourcePorts,
): Promise<Download> {
  if (layers.length === 0)
    throw new SkillError("ARCHIVE_INVALID", "The artifact has no layer with the files of a skill.");
  const files: LaidFile[] = [];
  let left = ports.limits.unpackedBytes;
  for (const layer of layers) {
    left -= layer.size;
    if (left < 0)
      throw new SkillError(
        "LIMIT_EXCEEDED",
        "The artifact is larger than a skill may be (limit unpackedBytes).",
      );
    files.push({ path: layer.annotations?.[TITLE] ?? "", content: await registry.blob(layer.digest) });
  }
  const folder = makeWork(ports, "oci");
  layOut(folder, files, ports.limits);
  const [first] = layers;
  const paths = files.map(({ path }) => path);
  return {
    folder,
    digest: sha256(Buffer.from(first?.digest ?? "")),
    skills: [{ name: "", path: "." }],
    paths,
  };
}

/** The calls of the distribution protocol that an install needs. */
class OciRegistry {
  readonly #base: string;
  readonly #spec: OciSpec;
  readonly #ports: SourcePorts;
  #token: string | undefined;

  constructor(spec: OciSpec, ports: SourcePorts) {
    const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+)(?::\d+)?$/.test(spec.host);
    this.#base = `${isHere ? "http" : "https"}://${spec.host}/v2/${spec.repository}`;
    this.#spec = spec;
    this.#ports = ports;
  }

  /** The manifest that a tag or a digest names; of an index, the one that is a skill. */
  async manifest(
    reference: string,
    depth = 0,
  ): Promise<{ readonly manifest: Manifest; readonly digest: string }> {
    const answer = await this.#get(`/manifests/${reference}`, MANIFEST_BYTES, MANIFEST_TYPES);
    const found = sha256(answer.bytes);
    if (reference.startsWith("sha256:") && found !== reference)
      throw wrongDigest("The manifest", reference, found);
    const { data } = Manifest.safeParse(parseJson(answer.bytes, answer.url));
    if (data === undefined) throw new SkillError("REMOTE_FAILED", `${this.#spec.host} sent no manifest.`);
    if (data.manifests === undefined || data.manifests.length === 0) return { manifest: data, digest: found };
    const [first] = data.manifests;
    const chosen = data.manifests.find(({ artifactType }) => /skill/.test(artifactType ?? "")) ?? first;
    if (chosen === undefined || depth > 2) throw new SkillError("REMOTE_FAILED", "The index lists no skill.");
    return await this.manifest(chosen.digest, depth + 1);
  }

  async blob(wanted: string): Promise<Uint8Array> {
    const { bytes } = await this.#get(`/blobs/${wanted}`, this.#ports.limits.archiveBytes, "*/*");
    const found = sha256(bytes);
    if (found !== wanted) throw wrongDigest("The layer", wanted, found);
    return bytes;
  }

  async #get(path: string, maxBytes: number, accept: string): Promise<Fetched> {
    const ask = async () =>
      await this.#ports.fetcher.fetch(`${this.#base}${path}`, {
        maxBytes,
        accepts: this.#token === undefined ? [401] : [],
        headers: { accept, ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }) },
      });
    const answer = await ask();
    if (answer.status !== 401) return answer;
    this.#token = await this.#askToken(answer.headers["www-authenticate"] ?? "");
    return await ask();
  }

  /** Requests an anonymous token, which registries issue for public content. */
  async #askToken(challenge: string): Promise<string> {
    const fields = new Map(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
    );
    const realm = URL.parse(fields.get("realm") ?? "");
    if (!/^bearer/i.test(challenge) || realm === null)
      throw new SkillError(
        "UNAUTHENTICATED",
        `${this.#spec.host} does not show ${this.#spec.repository} without signing in.`,
      );
    for (const name of ["service", "scope"]) {
      const value = fields.get(name);
      if (value !== undefined) realm.searchParams.set(name, value);
    }
    const Token = z.looseObject({ token: z.string().optional(), access_token: z.string().optional() });
    const { data } = Token.safeParse(await this.#ports.fetcher.json(realm.href, { maxBytes: 65_536 }));
    const token = data?.token ?? data?.access_token;
    if (token !== undefined && /^[\x21-\x7e]{1,8192}$/.test(token)) return token;
    throw new SkillError("UNAUTHENTICATED", `${this.#spec.host} gave no token for ${this.#spec.repository}.`);
  }
}
