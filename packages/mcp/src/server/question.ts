import { hash } from "node:crypto";
import {
  type ElicitInputParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  approvalKey,
  describeRequest,
} from "@skillhold/core/approval";
import { z } from "zod";

/** A question for the user of a client, and the key by which its answer is known again. */
export interface Question {
  readonly key: string;
  readonly request: ApprovalRequest;
}

/** What of a question goes to the client and comes back, sealed: the answer counts for this question alone. */
export interface QuestionState {
  readonly key: string;
}

export const QuestionState: z.ZodType<QuestionState> = z.object({ key: z.string() });

/** The same for two requests only if one answer is good for both: the approval's subject and exactly what is passed. */
export function questionKey(request: ApprovalRequest): string {
  const text = JSON.stringify([approvalKey(request), request.args, request.stdin?.digest]);
  return hash("sha256", text, "hex");
}

const CHOICES = ["approve once", "approve this content", "deny"] as const;
const ANSWER = "approval";

/** The question as a client puts it to its user. */
export function toInputRequired({ request }: Question, requestState: string): InputRequiredResult {
  return inputRequired({
    inputRequests: { [ANSWER]: inputRequired.elicit(formOf(request)) },
    requestState,
  });
}

function formOf(request: ApprovalRequest): ElicitInputParams {
  const lines = describeRequest(request).map(({ label, value }) => `${label}: ${value}`);
  return {
    message: ["This needs your approval:", ...lines].join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          description:
            "Once is for exactly these arguments; this content is for a while, with any arguments, until the skill changes.",
          enum: [...CHOICES],
        },
      },
      required: ["decision"],
    },
  };
}

const Content = z.object({ decision: z.enum(CHOICES) });

/** What the user answered. Whatever is neither a clear yes nor a clear no is no answer. */
export function readAnswer(
  responses: Readonly<Record<string, unknown>> | undefined,
  by: string,
): ApprovalAnswer | undefined {
  const response = inputResponse(responses, ANSWER);
  if (response.kind !== "elicit" || response.action === "cancel") return undefined;
  if (response.action === "decline") return { answer: "deny", by };
  const content = Content.safeParse(response.content);
  if (!content.success) return undefined;
  switch (content.data.decision) {
    case "approve once":
      return { answer: "approve", scope: "once", by };
    case "approve this content":
      return { answer: "approve", scope: "content", by };
    case "deny":
      return { answer: "deny", by };
  }
}
