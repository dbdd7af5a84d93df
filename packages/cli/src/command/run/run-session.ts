import { openSession, type Session, systemPorts } from "@skillhold/core/session";
import { localRunPorts } from "@skillhold/host/run";
import { withState } from "@skillhold/host/store";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../../command.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { withAsker } from "../../terminal/asker.ts";

/** A session that can run scripts and tools of skills. */
export interface Running extends Opened {
  readonly session: Session;
}

/** Opens a session that can run scripts, over the library of the common options. */
export async function withSession<T>(input: CommandInput, use: (running: Running) => Promise<T>): Promise<T> {
  const { io, options } = input;
  return await withLibrary(input, (opened) =>
    withState(io, (state) =>
      withAsker(io, { isApproved: options["yesForThisContent"] === true }, async (asker) => {
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

/** Replaces the table's general hint with the option to add on the command line. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof SkillError) || error.code !== "APPROVAL_REQUIRED") return error;
  if (error.hint !== errorTable.APPROVAL_REQUIRED.hint) return error;
  return new SkillError(error.code, error.message, {
    hint: "Run the command at a terminal to approve it there, or add --yes-for-this-content.",
    details: error.details,
    cause: error,
  });
}
