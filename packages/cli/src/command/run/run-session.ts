import type { Network } from "@skillhold/core/run";
import { openSession, type Session, systemPorts } from "@skillhold/core/session";
import { localRunPorts } from "@skillhold/host/run";
import { withState } from "@skillhold/host/store";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../../command.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { withAsker } from "../../terminal/asker.ts";

/** A session that can run what skills bring along. */
export interface Running extends Opened {
  readonly session: Session;
}

/** Opens a session over the library of the common options, with all that running takes. */
export async function withSession<T>(
  input: CommandInput,
  use: (running: Running) => Promise<T>,
  network?: Network,
): Promise<T> {
  const { io, options } = input;
  return await withLibrary(input, (opened) =>
    withState(io, (state) =>
      withAsker(io, { isApproved: options["yesForThisContent"] === true }, async (asker) => {
        const runs = localRunPorts(io, { ...state, asker, network });
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

/** The table's advice is for all who run things; here it can be said what to type. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof SkillError) || error.code !== "APPROVAL_REQUIRED") return error;
  if (error.hint !== errorTable.APPROVAL_REQUIRED.hint) return error;
  return new SkillError(error.code, error.message, {
    hint: "Run it at a terminal to be asked, or add --yes-for-this-content to approve the content as it is now.",
    details: error.details,
    cause: error,
  });
}
