import type { SkillFile } from "@skillhold/core/library";
import type { PackedFile } from "../cache/archive-cache.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { type Holder, readBytes } from "./skill-content.ts";

/** The files of a skill as an archive takes them, with SKILL.md at its root. */
export async function packFiles(
  known: Holder,
  files: readonly SkillFile[],
  context: Pick<GatewayContext, "registry">,
): Promise<readonly PackedFile[]> {
  const packed: PackedFile[] = [];
  for (const file of files) {
    const { path, executable } = file;
    packed.push({ path, executable, content: await readBytes(known, file, context) });
  }
  return packed;
}
