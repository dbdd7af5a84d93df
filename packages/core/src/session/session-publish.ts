import { SkillError } from "@skillhold/protocol/error";
import type { Viewer } from "../library/viewer.ts";
import type { SkillPublisher } from "./port.ts";
import type { Published } from "./publication.ts";
import type { SessionLog } from "./session-log.ts";

/** Publishes for the agent of a session. The registry records a publication; the session records a denial. */
export async function publishForSession(
  path: string,
  viewer: Viewer,
  publisher: SkillPublisher | undefined,
  log: SessionLog,
): Promise<Published> {
  if (publisher === undefined)
    throw new SkillError("POLICY_DENIED", "This session cannot publish skills.", {
      hint: "Open the session with a `publisher` port.",
    });
  try {
    return await publisher.publish(path, viewer);
  } catch (error) {
    if (error instanceof SkillError) {
      const { code: reason, message } = error;
      await log.record({ type: "skill.denied", act: "publish", skill: path, reason, message });
    }
    throw error;
  }
}
