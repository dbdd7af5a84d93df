import { errorTable, outsideWords, SkillError } from "@skillhold/protocol/error";
import type { Problem } from "@skillhold/protocol/http";

/**
 * A failure as those who called are told of it. What is a bug is told as one, without its words, and what failed inside
 * without where. Contract: what has a status of 500 or more is logged with the request id.
 */
export function problemOf(error: unknown, requestId: string): Problem {
  const failure = error instanceof SkillError ? error : undefined;
  const code = failure?.code ?? "INTERNAL";
  const words = failure && outsideWords(failure);
  const details = failure !== undefined && words?.isWhole === true ? shownDetails(failure.details) : {};
  return {
    type: `urn:skillhold:error:${code}`,
    title: titleOf(code),
    status: errorTable[code].status,
    detail: words?.message ?? "Something went wrong inside the gateway.",
    code,
    hint: words?.hint ?? "Report it with the request id; the gateway's log has more under it.",
    requestId,
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

type Json = NonNullable<Problem["details"]>;

/** Only what is data: a failure may carry anything at all. */
function shownDetails(details: SkillError["details"]): Json {
  try {
    const text = JSON.stringify(details);
    return text.length > MAX_DETAILS ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

const MAX_DETAILS = 16_384;
