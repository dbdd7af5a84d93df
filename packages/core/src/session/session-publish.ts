import { SkillError } from "@skillhold/protocol/error";
import type { Viewer } from "../library/viewer.ts";
import type { InlineFile, SkillPublisher } from "./port.ts";
import type { Published } from "./publication.ts";
import type { SessionLog } from "./session-log.ts";

/** Publishes for the agent of a session. The registry records a publication; the session records a denial. */
export async function publishForSession(
  skill: string | readonly InlineFile[],
  viewer: Viewer,
  publisher: SkillPublisher | undefined,
  log: SessionLog,
): Promise<Published> {
  try {
    return await publishWith(publisher, skill, viewer);
  } catch (error) {
    if (error instanceof SkillError && publisher !== undefined) {
      const { code: reason, message } = error;
      const named = typeof skill === "string" ? skill : "inline files";
      await log.record({ type: "skill.denied", act: "publish", skill: named, reason, message });
    }
    throw error;
  }
}

async function publishWith(
  publisher: SkillPublisher | undefined,
  skill: string | readonly InlineFile[],
  viewer: Viewer,
): Promise<Published> {
  if (publisher === undefined)
    throw new SkillError("POLICY_DENIED", "This session cannot publish skills.", {
      hint: "Open the session with a `publisher` port.",
    });
  if (typeof skill === "string" && "publish" in publisher) return await publisher.publish(skill, viewer);
  if (typeof skill !== "string" && "publishFiles" in publisher)
    return await publisher.publishFiles(skill, viewer);
  throw "publish" in publisher
    ? new SkillError("USAGE", "This session publishes folders.", { hint: "Pass the path of a folder." })
    : new SkillError("USAGE", "This session cannot read folders of the agent.", {
        hint: "Pass the files of the skill.",
      });
}
