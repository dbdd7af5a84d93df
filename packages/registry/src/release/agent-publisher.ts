import { resolve } from "node:path";
import { archiveInMemory, writeArchive } from "@skillhold/core/archive";
import type { Viewer } from "@skillhold/core/library";
import type { FilePublisher, FolderPublisher, InlineFile, Published } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { isSkillFile } from "@skillhold/skill";
import type { RegistryContext } from "../record/registry-context.ts";
import { publishFolder } from "./publish.ts";
import { type PublishArchiveOptions, publishArchive } from "./publish-archive.ts";

export interface AgentPublisherOptions {
  /**
   * The agent's workspaces. Relative paths resolve from the first, and paths outside all of them are
   * rejected.
   */
  readonly roots: readonly [string, ...string[]];
  /** The owner of the skills if the viewer names no user. */
  readonly user: string;
}

/** Publishes skills from the workspaces of agents, always with third-party trust. */
export function agentPublisher(
  { roots, user }: AgentPublisherOptions,
  context: RegistryContext,
): FolderPublisher {
  return {
    publish: async (path, viewer): Promise<Published> => {
      if (path.includes("\0")) throw new SkillError("USAGE", "The path contains a NUL character.");
      const agent = viewer.agent === undefined ? {} : { agent: viewer.agent };
      const by = { user: viewer.user ?? user, role: "agent", ...agent } as const;
      return await publishFolder(resolve(roots[0], path), { by, roots }, context);
    },
  };
}

export type FilePublisherOptions = Pick<PublishArchiveOptions, "by" | "mayReplace">;

/**
 * Publishes skills whose files come in a tool call. They pass through an archive, so that names, sizes and collisions are
 * checked as in an upload.
 */
export function filePublisher(options: FilePublisherOptions, context: RegistryContext): FilePublisher {
  return {
    publishFiles: async (files: readonly InlineFile[], _viewer: Viewer): Promise<Published> => {
      rejectOtherSkills(files);
      const archive = archiveInMemory(await writeArchive("zip", files.map(decodeFile)));
      const provenance = { origin: "publish_skill" };
      const { skills } = await publishArchive(archive, { ...options, entry: "publish", provenance }, context);
      const [skill] = skills;
      if (skill === undefined) throw noSkill();
      if (skill.status !== "failed") return skill;
      const { code, message, hint } = skill.error;
      // `publishArchive` puts the code of a `SkillError` here.
      throw new SkillError(code as SkillError["code"], message, {
        hint,
        details: { diagnostics: skill.diagnostics },
      });
    },
  };
}

/** One call publishes one skill, whose SKILL.md is at the top. */
function rejectOtherSkills(files: readonly InlineFile[]): void {
  if (!files.some(({ path }) => isSkillFile(path))) throw noSkill();
  const other = files.find(({ path }) => path.includes("/") && isSkillFile(path.split("/").at(-1) ?? ""));
  if (other !== undefined)
    throw new SkillError("USAGE", `${other.path} belongs to another skill.`, {
      hint: "Publish each skill in its own call.",
    });
}

function noSkill(): SkillError {
  return new SkillError("SKILL_INVALID", "The files contain no SKILL.md at the top.", {
    hint: "Add a file with the path SKILL.md.",
  });
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decodeFile({ path, content, encoding = "utf8", executable = false }: InlineFile) {
  if (encoding === "base64" && !BASE64.test(content))
    throw new SkillError("USAGE", `The content of ${path} is not base64.`);
  return { path, executable, content: Buffer.from(content, encoding) };
}
