import {
  type ElicitInputParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  describeRequest,
  headlineOf,
  requestKey,
} from "@skillhold/core/approval";
import { z } from "zod";

/** An approval question for the client's user, and the key that matches its answer. */
export interface ClientQuestion {
  readonly key: string;
  readonly request: ApprovalRequest;
}

/** The sealed state that the client returns with the answer, which binds the answer to its question. */
export interface QuestionState {
  readonly key: string;
}

export const QuestionState: z.ZodType<QuestionState> = z.object({ key: z.string() });

/** Equal for two requests only if one answer is valid for both: the same subject, arguments and input. */
export function questionKey(request: ApprovalRequest): string {
  return requestKey(request);
}

const CHOICES = ["approve once", "approve this content", "approve with any arguments", "deny"] as const;
const ANSWER = "approval";

/** The question as an elicitation form. */
export function toInputRequired({ request }: ClientQuestion, requestState: string): InputRequiredResult {
  return inputRequired({
    inputRequests: { [ANSWER]: inputRequired.elicit(formOf(request)) },
    requestState,
  });
}

function formOf(request: ApprovalRequest): ElicitInputParams {
  const lines = describeRequest(request).map(({ label, value }) => `${label}: ${value}`);
  return {
    message: [headlineOf(request), ...lines].join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          description:
            "`approve once` allows exactly these arguments. `approve this content` allows arguments of the same shape for a limited time, until the skill changes. `approve with any arguments` allows all arguments for that time.",
          enum: [...CHOICES],
        },
      },
      required: ["decision"],
    },
  };
}

const Content = z.object({ decision: z.enum(CHOICES) });

/** The user's answer; undefined unless it is a clear yes or no. */
export function readApproval(
  responses: Readonly<Record<string, unknown>> | undefined,
  by: string,
): ApprovalAnswer | undefined {
  const response = inputResponse(responses, ANSWER);
  if (response.kind !== "elicit" || response.action === "cancel") return undefined;
  // Clients without a user decline by themselves.
  if (response.action === "decline") return { answer: "deny", by, isUnattended: true };
  const content = Content.safeParse(response.content);
  if (!content.success) return undefined;
  switch (content.data.decision) {
    case "approve once":
      return { answer: "approve", scope: "once", by };
    case "approve this content":
      return { answer: "approve", scope: "content", by };
    case "approve with any arguments":
      return { answer: "approve", scope: "content", widen: ["arguments"], by };
    case "deny":
      return { answer: "deny", by };
  }
}
