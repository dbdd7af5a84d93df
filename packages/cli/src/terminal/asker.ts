import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Asker,
  describeRequest,
  headlineOf,
} from "@skillhold/core/approval";
import { accountName } from "@skillhold/host/place";
import { defaultLimits } from "@skillhold/protocol/limits";
import { type Io, plain } from "./output.ts";
import { askLine } from "./prompt.ts";
import type { Tty } from "./tty.ts";

/** The code of the content that a request asks about, or a sentence that says why it cannot be shown. */
export type CodeReader = (request: ApprovalRequest) => Promise<string>;

/** Asks at a terminal. Any answer other than yes means no; `v` shows the code and asks again. */
export function terminalAsker(tty: Tty, by: string, readCode?: CodeReader): Asker {
  return {
    async ask(request, signal) {
      const reader = request.act === "run_script" ? readCode : undefined;
      const choices = choicesOf({ hasCode: reader !== undefined });
      tty.output.write(`${formatQuestion(request)}${listChoices(choices)}`);
      const prompt = `Approve? [${choices.map(([key]) => key).join("/")}/N] `;
      for (;;) {
        const answer = (await askLine(tty, prompt, signal)) ?? "";
        if (reader === undefined || answer.trim().toLowerCase() !== "v") return readAnswer(answer, by);
        tty.output.write(numbered(await reader(request)));
      }
    },
  };
}

/** Approves every request for the current content with any arguments, because the user did so on the command line. */
export function consent(by: string): Asker {
  return { ask: async () => ({ answer: "approve", scope: "content", widen: ["arguments"], by }) };
}

export interface AskerOptions {
  readonly isApproved: boolean;
  readonly mayAsk?: boolean;
  readonly readCode?: CodeReader;
}

/** Opens the asker: the approval from the command line, the terminal, or no asker. */
export async function withAsker<T>(
  io: Io,
  { isApproved, mayAsk = true, readCode }: AskerOptions,
  use: (asker: Asker | undefined) => Promise<T>,
): Promise<T> {
  const by = accountName(io.env);
  if (isApproved) return await use(consent(by));
  const tty = mayAsk ? await io.tty() : undefined;
  try {
    return await use(tty === undefined ? undefined : terminalAsker(tty, by, readCode));
  } finally {
    tty?.close();
  }
}

function formatQuestion(request: ApprovalRequest): string {
  const fields = describeRequest(request);
  const width = Math.max(...fields.map(({ label }) => label.length));
  const lines = fields.map(({ label, value }) => `  ${label.padEnd(width)}  ${value}\n`).join("");
  return `${headlineOf(request)}\nThis needs your approval:\n${lines}`;
}

type Choice = readonly [key: string, meaning: string];

function choicesOf({ hasCode }: { readonly hasCode: boolean }): readonly Choice[] {
  const minutes = Math.round(defaultLimits.approvalMs / 60_000);
  return [
    ["y", "yes, once"],
    ["a", `yes, for ${minutes} minutes: this content, with arguments of the same shape`],
    ["w", `yes, for ${minutes} minutes: this content, with any arguments`],
    ...(hasCode ? [["v", "view the code first"] as const] : []),
  ];
}

function listChoices(choices: readonly Choice[]): string {
  const all: readonly Choice[] = [...choices, ["n", "no (default)"]];
  return all.map(([key, meaning]) => `  ${key}  ${meaning}\n`).join("");
}

/** Every line has a number, so that no line of the code looks like a question. */
function numbered(code: string): string {
  const lines = plain(code.replaceAll("\r\n", "\n")).replace(/\n$/, "").split("\n");
  const width = String(lines.length).length;
  return lines.map((line, at) => `  ${String(at + 1).padStart(width)} | ${line}\n`).join("");
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
