import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { neutralText } from "@skillhold/core/text";
import { errorTable, SkillError } from "@skillhold/protocol/error";

/** Converts a SkillError into a protocol error that keeps the code and the hint. */
export async function orProtocolError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const { code, message, hint } = error;
    const isClientError = errorTable[code].status < 500;
    throw new ProtocolError(
      isClientError ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      `${neutralText(message, 500)} ${hint}`,
      { code, hint },
    );
  }
}
