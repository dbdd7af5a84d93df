import { writeArchive } from "@skillhold/core/archive";
import { SkillError } from "@skillhold/protocol/error";
import type { StagedSkill } from "../record/staged-skill.ts";
import { OCI_MANIFEST, OciRegistry } from "./oci-registry.ts";
import type { SourcePorts } from "./source.ts";
import type { OciSpec } from "./source-spec.ts";

const ARTIFACT = "application/vnd.agentskills.skill.v1";
const CONFIG = "application/vnd.agentskills.skill.config.v1+json";
const CONTENT = "application/vnd.agentskills.skill.content.v1.tar+gzip";

export interface PushedSkill {
  readonly id: string;
  /** The digest of the manifest, by which the artifact is pinned. */
  readonly digest: string;
  readonly layer: string;
  readonly bytes: number;
}

/**
 * Writes a skill as an OCI artifact: its frontmatter as configuration, and one layer with its folder. The same content
 * has the same digests. The tag is written last, so that it never names a part of a skill.
 */
export async function pushSkill(
  { id, files, skill, record }: StagedSkill,
  spec: OciSpec,
  ports: Pick<SourcePorts, "fetcher" | "limits" | "settings">,
): Promise<PushedSkill> {
  if (spec.digest !== undefined)
    throw new SkillError("USAGE", "A skill is pushed to a tag, not to a digest.", {
      hint: "Write oci://host/repository:tag.",
    });
  const registry = new OciRegistry(spec, ports);
  const content = await writeArchive(
    "tar.gz",
    files.map(({ path, executable, content: bytes }) => ({
      path: `${id}/${path}`,
      executable,
      content: bytes,
    })),
  );
  const config = Buffer.from(JSON.stringify(skill.frontmatter));
  const layer = await registry.putBlob(content);
  const manifest = {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    artifactType: ARTIFACT,
    config: { mediaType: CONFIG, digest: await registry.putBlob(config), size: config.length },
    layers: [{ mediaType: CONTENT, digest: layer, size: content.length }],
    annotations: {
      "io.agentskills.skill.name": id,
      "org.opencontainers.image.title": id,
      ...(record.version === undefined ? {} : { "org.opencontainers.image.version": record.version }),
    },
  };
  const digest = await registry.putManifest(spec.tag ?? "latest", manifest);
  return { id, digest, layer, bytes: content.length };
}
