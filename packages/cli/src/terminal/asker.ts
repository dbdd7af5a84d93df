import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Asker,
  describeRequest,
  headlineOf,
} from "@skillhold/core/approval";
import { accountName } from "@skillhold/host/place";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { Io } from "./output.ts";
import { askLine } from "./prompt.ts";
import type { Tty } from "./tty.ts";

/** Asks at a terminal. Any answer other than yes means no. */
export function terminalAsker(tty: Tty, by: string): Asker {
  return {
    async ask(request, signal) {
      const answer = (await askLine(tty, formatQuestion(request), signal)) ?? "";
      return readAnswer(answer, by);
    },
  };
}

/** Approves every request for the current content with any arguments, because the user did so on the command line. */
export function consent(by: string): Asker {
  return { ask: async () => ({ answer: "approve", scope: "content", widen: ["arguments"], by }) };
}

/** Opens the asker: the approval from the command line, the terminal, or no asker. */
export async function withAsker<T>(
  io: Io,
  { isApproved, mayAsk = true }: { readonly isApproved: boolean; readonly mayAsk?: boolean },
  use: (asker: Asker | undefined) => Promise<T>,
): Promise<T> {
  const by = accountName(io.env);
  if (isApproved) return await use(consent(by));
  const tty = mayAsk ? await io.tty() : undefined;
  try {
    return await use(tty === undefined ? undefined : terminalAsker(tty, by));
  } finally {
    tty?.close();
  }
}

function formatQuestion(request: ApprovalRequest): string {
  const fields = describeRequest(request);
  const width = Math.max(...fields.map(({ label }) => label.length));
  const lines = fields.map(({ label, value }) => `  ${label.padEnd(width)}  ${value}\n`).join("");
  const minutes = Math.round(defaultLimits.approvalMs / 60_000);
  const keys = `y = once; a = ${minutes} minutes, for this content and such arguments; w = also with any arguments; anything else = no`;
  return `${headlineOf(request)}\nThis needs your approval:\n${lines}${keys} [no] `;
}

function readAnswer(answer: string, by: string): ApprovalAnswer {
  switch (answer.trim().toLowerCase()) {
    case "y":
    case "yes":
      return { answer: "approve", scope: "once", by };
    case "a":
    case "always":
      return { answer: "approve", scope: "content", by };
    case "w":
      return { answer: "approve", scope: "content", widen: ["arguments"], by };
    default:
      return { answer: "deny", by };
  }
}
