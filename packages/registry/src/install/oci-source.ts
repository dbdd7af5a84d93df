import { SkillError } from "@skillhold/protocol/error";
import { type NewFile, treeOfFiles } from "../release/stage.ts";
import { type Download, offer, readDownload, sha256 } from "./download.ts";
import { type OciDescriptor, OciRegistry } from "./oci-registry.ts";
import type { InstallSource, SkillOrigin, SourcePorts } from "./source.ts";
import { formatSource, type OciSpec } from "./source-spec.ts";

const TITLE = "org.opencontainers.image.title";

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
        ? await readFiles(titled, registry, ports)
        : await readDownload(await registry.blob(tar), ports);
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
    return offer(download, skills, ({ path }) => ({ ...origin, ...(path === "." ? {} : { path }) }));
  },
};

function lastPart(repository: string): string {
  return repository.split("/").at(-1) ?? repository;
}

async function readFiles(
  layers: readonly OciDescriptor[],
  registry: OciRegistry,
  ports: SourcePorts,
): Promise<Download> {
  if (layers.length === 0)
    throw new SkillError("ARCHIVE_INVALID", "The artifact has no layer with the files of a skill.");
  const files: NewFile[] = [];
  let left = ports.limits.unpackedBytes;
  for (const layer of layers) {
    left -= layer.size;
    if (left < 0)
      throw new SkillError(
        "LIMIT_EXCEEDED",
        "The artifact is larger than a skill may be (limit unpackedBytes).",
      );
    files.push({ path: layer.annotations?.[TITLE] ?? "", content: await registry.blob(layer) });
  }
  const [first] = layers;
  return {
    tree: treeOfFiles(files, ports.limits),
    digest: sha256(Buffer.from(first?.digest ?? "")),
    skills: [{ name: "", path: "." }],
  };
}
