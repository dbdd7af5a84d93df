import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { neutralText } from "@skillhold/core/text";
import { errorTable, SkillError } from "@skillhold/protocol/error";

/** Does what has no way to answer but by failing: a failure with a code keeps it, and its advice. */
export async function orProtocolError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const { code, message, hint } = error;
    const isTheirs = errorTable[code].status < 500;
    throw new ProtocolError(
      isTheirs ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      `${neutralText(message, 500)} ${hint}`,
      { code, hint },
    );
  }
}
