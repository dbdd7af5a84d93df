import { storeUrl, userName } from "@skillhold/host/place";
import { proposalStore } from "@skillhold/host/store";
import { SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { propose } from "@skillhold/registry/proposal";
import type { CommandInput } from "../command.ts";
import { textOption } from "../option.ts";
import { plain } from "../terminal/output.ts";
import type { Proposal } from "./preview.ts";

/**
 * Opens a proposal for an update that conflicts with local edits: the merge with the source's side where both changed.
 * Returns its id; undefined for a plan without a conflict, and where no proposal can be made.
 */
export async function proposeMerge(
  { plan }: Proposal,
  { options, io }: Pick<CommandInput, "options" | "io">,
): Promise<string | undefined> {
  if (plan.kind !== "conflict") return undefined;
  const { before, conflicts, theirs } = plan;
  const skill = SkillId.parse(plan.id);
  const { folder, treeHash } = before;
  const subject =
    folder === undefined
      ? ({ kind: "registry", skill, base: treeHash } as const)
      : ({ kind: "folder", skill, folder, files: await before.files() } as const);
  const { proposalEvidence, proposalTextLength } = defaultLimits;
  const evidence = conflicts.slice(0, proposalEvidence).map(({ path, reason, text = "" }) => {
    return { kind: "text", value: `${path} (${reason})\n${text}`.slice(0, proposalTextLength) } as const;
  });
  const justification = `An update from ${before.installed?.spec ?? "the source"} conflicts with local edits. The proposal takes the side of the source there.`;
  // A program made the merge, so the user may review it.
  const author = { user: userName(io.env), role: "agent" } as const;
  const request = {
    author,
    origin: "merge",
    justification,
    evidence,
    subject,
    change: { candidate: theirs },
  } as const;
  try {
    const url = storeUrl(textOption(options, "store"), io);
    const { id } = await proposalStore(url, io, defaultLimits, (context) => propose(request, context));
    if (!io.json)
      io.err(
        `Proposal ${id.slice(0, 8)} has the merge. Run \`skillhold proposal show ${id.slice(0, 8)}\`.\n`,
      );
    return id;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    io.err(`note: No proposal was made of the merge: ${plain(error.message)}\n`);
    return undefined;
  }
}
