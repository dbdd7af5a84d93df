import type { Published } from "./publication.ts";
import type { Session } from "./session.ts";
import { succeed, type ToolResult } from "./tool-result.ts";

export async function publishSkill(session: Session, path: string): Promise<ToolResult<Published>> {
  const published = await session.publish(path);
  return succeed(publishText(published), published);
}

/** What the model reads: what became of it, and what to see to. */
function publishText({ id, revision, status, isNew, missing, warnings, omitted }: Published): string {
  const done = status === "unchanged" ? "is unchanged" : isNew ? "is published" : "has a new revision";
  return [
    `The skill ${id} ${done}: revision ${revision}.`,
    ...warnings,
    ...(missing.length === 0
      ? []
      : [`It needs what is not here: ${missing.join(", ")}. Install it, or tell the user.`]),
    ...(omitted.length === 0
      ? []
      : [`Left out: ${omitted.map(({ path, reason }) => `${path} (${reason})`).join(", ")}.`]),
  ].join("\n");
}
