import type { ApprovalRequest } from "@skillhold/core/approval";
import { openSession, type Session, systemPorts } from "@skillhold/core/session";
import { localRunPorts } from "@skillhold/host/run";
import { withState } from "@skillhold/host/store";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../../command.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { type AskerOptions, withAsker } from "../../terminal/asker.ts";
import { formatSize } from "../../terminal/text.ts";

/** A session that can run scripts and tools of skills. */
export interface Running extends Opened {
  readonly session: Session;
}

/** Opens a session that can run scripts, over the library of the common options. */
export async function withSession<T>(input: CommandInput, use: (running: Running) => Promise<T>): Promise<T> {
  const { io, options } = input;
  return await withLibrary(input, (opened) =>
    withState(io, (state) =>
      withAsker(io, askerOptions(options["yesForThisContent"] === true, opened), async (asker) => {
        const runs = localRunPorts(io, { ...state, asker });
        const session = await openSession(opened.library, opened.viewer, {
          ...systemPorts(state.audit),
          runs,
        });
        try {
          return await use({ ...opened, session });
        } catch (error) {
          throw withAdvice(error);
        } finally {
          await session.close();
        }
      }),
    ),
  );
}

function askerOptions(isApproved: boolean, opened: Opened): AskerOptions {
  return { isApproved, readCode: (request) => readCode(request, opened) };
}

const CODE_BYTES = 64 * 1024;

/** The beginning of the script, only if the skill still has the content of the request. */
async function readCode(
  { skill, target, treeHash }: ApprovalRequest,
  { library, viewer }: Opened,
): Promise<string> {
  try {
    const part = await library.resource(viewer, skill, target, { length: CODE_BYTES });
    if (part.treeHash !== treeHash) return "The skill changed after this question. Deny it and run again.";
    if (part.encoding !== "utf-8") return `${target} is a binary file of ${formatSize(part.size)}.`;
    const rest = `\nOnly the first ${formatSize(part.length)} of ${formatSize(part.size)} are shown.`;
    return part.hasMore ? `${part.content}${rest}` : part.content;
  } catch (error) {
    if (error instanceof SkillError) return `The code cannot be shown: ${error.message}`;
    throw error;
  }
}

const ADVICE = {
  APPROVAL_REQUIRED: "Run the command at a terminal to approve it there, or add --yes-for-this-content.",
  APPROVAL_DENIED: "The script or tool did not run. To answer differently, run the command again.",
} as const;

/** Replaces the table's general hint with advice for the person at the command line. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof SkillError)) return error;
  const { code, message, details } = error;
  if (code !== "APPROVAL_REQUIRED" && code !== "APPROVAL_DENIED") return error;
  if (error.hint !== errorTable[code].hint) return error;
  return new SkillError(code, message, { hint: ADVICE[code], details, cause: error });
}
