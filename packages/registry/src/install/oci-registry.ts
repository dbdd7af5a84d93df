import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { sha256 } from "./download.ts";
import { type Fetched, type FetchRequest, parseJson } from "./fetcher/index.ts";
import type { SourcePorts } from "./source.ts";
import type { OciSpec } from "./source-spec.ts";
import { wrongDigest } from "./web-source.ts";

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const annotations = z.record(z.string(), z.string()).nullish();
const Descriptor = z.looseObject({
  mediaType: z.string().default(""),
  digest,
  size: z.int().min(0),
  annotations,
  artifactType: z.string().nullish(),
});
export type OciDescriptor = z.infer<typeof Descriptor>;
const Manifest = z.looseObject({
  artifactType: z.string().nullish(),
  layers: z.array(Descriptor).max(2000).optional(),
  manifests: z.array(Descriptor).max(1000).optional(),
  annotations,
});
type Manifest = z.infer<typeof Manifest>;

export const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const MANIFEST_TYPES = [
  OCI_MANIFEST,
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");
const MANIFEST_BYTES = 4 * 1024 * 1024;
/** Answers to writes are short. */
const ANSWER_BYTES = 65_536;

type RegistryPorts = Pick<SourcePorts, "fetcher" | "limits" | "settings">;

/** One repository, by the calls of the OCI distribution protocol that skills need. */
export class OciRegistry {
  readonly #base: string;
  readonly #spec: OciSpec;
  readonly #ports: RegistryPorts;
  #authorization: string | undefined;

  constructor(spec: OciSpec, ports: RegistryPorts) {
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
    const answer = await this.#send(`${this.#base}/manifests/${reference}`, {
      maxBytes: MANIFEST_BYTES,
      headers: { accept: MANIFEST_TYPES },
    });
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

  /** The bytes of a layer. One that announces or sends more than allowed is not read to its end. */
  async blob({ digest: wanted, size }: OciDescriptor): Promise<Uint8Array> {
    const max = this.#ports.limits.archiveBytes;
    if (size > max)
      throw new SkillError(
        "LIMIT_EXCEEDED",
        `A layer of ${size} bytes is larger than the limit archiveBytes, ${max}.`,
        {
          details: { size, max },
        },
      );
    const { bytes } = await this.#send(`${this.#base}/blobs/${wanted}`, {
      // The body of a refusal may be longer than a short layer.
      maxBytes: Math.max(size, ANSWER_BYTES),
    });
    const found = sha256(bytes);
    if (found !== wanted) throw wrongDigest("The layer", wanted, found);
    return bytes;
  }

  /** Stores bytes under their digest, unless the repository has them. */
  async putBlob(bytes: Uint8Array): Promise<string> {
    const name = sha256(bytes);
    const there = await this.#send(`${this.#base}/blobs/${name}`, {
      method: "HEAD",
      accepts: [404],
      maxBytes: this.#ports.limits.archiveBytes,
    });
    if (there.status === 200) return name;
    const started = await this.#send(`${this.#base}/blobs/uploads/`, {
      method: "POST",
      body: new Uint8Array(),
      accepts: [202],
      maxBytes: ANSWER_BYTES,
    });
    const place = URL.parse(started.headers["location"] ?? "", this.#base);
    if (place === null)
      throw new SkillError("REMOTE_FAILED", `${this.#spec.host} names no place for an upload.`);
    place.searchParams.set("digest", name);
    await this.#send(place.href, {
      method: "PUT",
      body: bytes,
      headers: { "content-type": "application/octet-stream" },
      accepts: [201],
      maxBytes: ANSWER_BYTES,
    });
    return name;
  }

  /** Stores a manifest under a tag; returns its digest. */
  async putManifest(tag: string, manifest: object): Promise<string> {
    const body = Buffer.from(JSON.stringify(manifest));
    await this.#send(`${this.#base}/manifests/${tag}`, {
      method: "PUT",
      body,
      headers: { "content-type": OCI_MANIFEST },
      accepts: [201],
      maxBytes: ANSWER_BYTES,
    });
    return sha256(body);
  }

  /** A challenge is answered once; a registry may issue a token for each kind of access. */
  async #send(url: string, request: FetchRequest): Promise<Fetched> {
    const { accepts = [], headers } = request;
    // An upload may be placed on another host, which gets no credentials.
    const isOwn = url.startsWith(`${new URL(this.#base).origin}/`);
    const send = async (more: readonly number[]) =>
      await this.#ports.fetcher.fetch(url, {
        ...request,
        accepts: [...accepts, ...more],
        headers: {
          accept: "*/*",
          ...headers,
          ...(isOwn && this.#authorization !== undefined ? { authorization: this.#authorization } : {}),
        },
      });
    const answer = await send([401]);
    if (answer.status !== 401) return answer;
    this.#authorization = await this.#answerChallenge(answer.headers["www-authenticate"] ?? "");
    return await send([]);
  }

  /** The value of `Authorization` for a challenge: the user's login, or a token that the registry issues. */
  async #answerChallenge(challenge: string): Promise<string> {
    const { host, repository } = this.#spec;
    const login = await this.#ports.settings.ociLogin?.(host);
    if (/^basic/i.test(challenge) && login !== undefined) return `Basic ${login}`;
    const fields = new Map(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
    );
    const realm = URL.parse(fields.get("realm") ?? "");
    if (!/^bearer/i.test(challenge) || realm === null)
      throw new SkillError("UNAUTHENTICATED", `${host} gives no access to ${repository} without a login.`, {
        hint: "Log in with `docker login`, which writes ~/.docker/config.json.",
      });
    for (const name of ["service", "scope"]) {
      const value = fields.get(name);
      if (value !== undefined) realm.searchParams.set(name, value);
    }
    const Token = z.looseObject({ token: z.string().optional(), access_token: z.string().optional() });
    const headers = login === undefined ? {} : { authorization: `Basic ${login}` };
    const answer = await this.#ports.fetcher.json(realm.href, { maxBytes: ANSWER_BYTES, headers });
    const { data } = Token.safeParse(answer);
    const token = data?.token ?? data?.access_token;
    if (token !== undefined && /^[\x21-\x7e]{1,8192}$/.test(token)) return `Bearer ${token}`;
    throw new SkillError("UNAUTHENTICATED", `${host} gave no token for ${repository}.`);
  }
}
