import { createPublicKey, hash, verify } from "node:crypto";
import { SkillError } from "@skillhold/protocol/error";
import { maxSatisfying, validRange } from "semver";
import { z } from "zod";
import type { AttestedPackage } from "../signature/index.ts";
import { offer, readDownload } from "./download.ts";
import { parseJson } from "./fetcher/index.ts";
import type { InstallSource, OfferedSkill, SkillOrigin, SourcePorts } from "./source.ts";
import type { NpmSpec } from "./source-spec.ts";
import { wrongDigest } from "./web-source.ts";

const Version = z.looseObject({
  version: z.string(),
  dist: z.looseObject({
    tarball: z.string().max(2048),
    integrity: z.string().max(1024).optional(),
    signatures: z
      .array(z.looseObject({ keyid: z.string(), sig: z.string() }))
      .max(20)
      .optional(),
    attestations: z.looseObject({}).optional(),
  }),
});
const Package = z.looseObject({
  "dist-tags": z.record(z.string(), z.string()).default({}),
  versions: z.record(z.string(), z.unknown()),
  time: z.record(z.string(), z.unknown()).default({}),
});
const Keys = z.looseObject({
  keys: z.array(z.looseObject({ keyid: z.string(), keytype: z.string(), key: z.string() })).max(100),
});

/** The skills that an npm package ships below `skills/`. The package is never installed, and its code never runs. */
export const npmSource: InstallSource<NpmSpec> = {
  resolve: async ({ name, range }, ports) => {
    const registry = await registryOf(ports);
    const address = `${registry}/${name.replace("/", "%2f")}`;
    const { data } = Package.safeParse(await ports.fetcher.json(address, { maxBytes: 64 * 1024 * 1024 }));
    if (data === undefined) throw new SkillError("REMOTE_FAILED", `${address} does not describe a package.`);
    const version = chooseVersion(name, range, data);
    const { dist } = readVersion(name, version, data);
    const { bytes } = await ports.fetcher.fetch(dist.tarball);
    const integrity = checkIntegrity(`${name}@${version}`, dist.integrity, bytes);
    const signed = await findSignature(
      `${name}@${version}:${integrity}`,
      dist.signatures ?? [],
      registry,
      ports,
    );
    const attested =
      dist.attestations === undefined
        ? undefined
        : await findAttestations({ name, version, integrity }, registry, ports);
    const download = await readDownload(bytes, ports);
    const shipped = download.skills.filter(({ path }) => /^[^/]+\/skills\//.test(path));
    const skills = shipped.length > 0 ? shipped : download.skills;
    const releasedAt = data.time[version];
    const originOf = ({ path }: OfferedSkill): SkillOrigin => ({
      source: "npm",
      origin: name,
      originUrl: address,
      spec: `npm:${name}${range === undefined ? "" : `@${range}`}`,
      path,
      publisher: `${new URL(registry).host}/${name}`,
      release: version,
      archiveDigest: download.digest,
      digests: { integrity, ...(signed === undefined ? {} : { registryKey: signed }) },
      verified: "digest",
      ...(typeof releasedAt === "string" && !Number.isNaN(Date.parse(releasedAt))
        ? { releasedAt: new Date(releasedAt).toISOString() }
        : {}),
    });
    const isUnchecked = dist.attestations !== undefined && attested === undefined;
    const notes = isUnchecked
      ? [`The provenance of ${name}@${version} was not checked, because the registry does not serve it.`]
      : [];
    return offer(download, skills, originOf, { attested, notes });
  },
};

function chooseVersion(name: string, range: string | undefined, data: z.infer<typeof Package>): string {
  const wanted = range ?? "latest";
  const tagged = data["dist-tags"][wanted];
  if (tagged !== undefined) return tagged;
  const versions = Object.keys(data.versions);
  const found = validRange(wanted) === null ? null : maxSatisfying(versions, wanted);
  if (found !== null) return found;
  throw new SkillError("PATH_NOT_FOUND", `The package ${name} has no version ${JSON.stringify(wanted)}.`, {
    hint: "Name a version, a range or a tag that the package has.",
  });
}

function readVersion(name: string, version: string, data: z.infer<typeof Package>): z.infer<typeof Version> {
  const { data: found } = Version.safeParse(data.versions[version]);
  if (found !== undefined) return found;
  throw new SkillError("REMOTE_FAILED", `The registry does not describe ${name}@${version}.`);
}

/** The strongest hash of the integrity string has to fit; a package without one is refused. */
function checkIntegrity(label: string, integrity: string | undefined, bytes: Uint8Array): string {
  const wanted = (integrity ?? "").split(/\s+/).find((each) => each.startsWith("sha512-"));
  if (wanted === undefined)
    throw new SkillError("INTEGRITY_FAILED", `The registry announces no SHA-512 for ${label}.`, {
      hint: "Use a registry that gives `dist.integrity`.",
    });
  const found = `sha512-${hash("sha512", bytes, "base64")}`;
  if (found !== wanted) throw wrongDigest(label, wanted, found);
  return wanted;
}

/** The id of a registry key that signed the version; a signature that does not fit refuses the package. */
async function findSignature(
  payload: string,
  signatures: readonly { readonly keyid: string; readonly sig: string }[],
  registry: string,
  { fetcher }: SourcePorts,
): Promise<string | undefined> {
  if (signatures.length === 0) return undefined;
  const answer = await fetcher.fetch(`${registry}/-/npm/v1/keys`, {
    maxBytes: 1024 * 1024,
    accepts: [400, 404],
  });
  if (answer.status !== 200) return undefined;
  const keys = Keys.safeParse(parseJson(answer.bytes, answer.url)).data?.keys ?? [];
  for (const { keyid, sig } of signatures) {
    const known = keys.find((key) => key.keyid === keyid);
    if (known === undefined) continue;
    const key = createPublicKey({ key: Buffer.from(known.key, "base64"), format: "der", type: "spki" });
    if (verify("sha256", Buffer.from(payload), key, Buffer.from(sig, "base64"))) return keyid;
    throw new SkillError(
      "INTEGRITY_FAILED",
      `The registry's signature of ${payload.split(":")[0]} does not fit.`,
      {
        hint: "Nothing was installed. Mistrust the registry or what is in between.",
      },
    );
  }
  return undefined;
}

/** The attestations that a registry announces; undefined where it does not serve them, as many mirrors do. */
async function findAttestations(
  {
    name,
    version,
    integrity,
  }: { readonly name: string; readonly version: string; readonly integrity: string },
  registry: string,
  { fetcher }: SourcePorts,
): Promise<AttestedPackage | undefined> {
  const { status, bytes, url } = await fetcher.fetch(
    `${registry}/-/npm/v1/attestations/${name.replace("/", "%2f")}@${encodeURIComponent(version)}`,
    { maxBytes: 8 * 1024 * 1024, accepts: [404] },
  );
  if (status === 404) return undefined;
  const sha512 = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return { name, version, sha512, attestations: parseJson(bytes, url) };
}

async function registryOf({ settings }: SourcePorts): Promise<string> {
  const registry = await settings.npmRegistry?.();
  if (registry !== undefined) return registry.replace(/\/+$/, "");
  throw new SkillError("CONFIG_INVALID", "No npm registry is configured.", {
    hint: "Install npm, set npm_config_registry, or add --npm-registry <url>.",
  });
}
