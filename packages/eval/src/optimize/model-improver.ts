import { type Model, ModelFailure } from "../model/model.ts";
import type { ImproveContext, Improver } from "./optimizer.ts";

const REPLY_TOKENS = 2048;
const SYSTEM = `You improve the description of a skill. An agent sees only the name and the description of its skills,
and reads a skill when its description fits the user's request.
Say what the skill does and when to use it, in the words of users, in fewer than 1,024 characters.
Do not list the example queries; find what they have in common.
Answer with the new description only.`;

/** Asks a model for a description. */
export function modelImprover(model: Model, signal: AbortSignal): Improver {
  return {
    improve: async (context) => {
      try {
        const turn = {
          system: SYSTEM,
          messages: [{ role: "user" as const, text: describe(context) }],
          tools: [],
          maxTokens: REPLY_TOKENS,
        };
        const { text } = await model.complete(turn, signal);
        return text.trim().replace(/^["'`]+|["'`]+$/g, "") || undefined;
      } catch (error) {
        if (error instanceof ModelFailure) return undefined;
        throw error;
      }
    },
  };
}

function describe({ skill, description, failures, successes, history }: ImproveContext): string {
  const list = (items: readonly { readonly query: string }[]) =>
    items.map(({ query }) => `- ${query}`).join("\n") || "- (none)";
  const missed = failures.filter(({ shouldTrigger }) => shouldTrigger);
  const wrong = failures.filter(({ shouldTrigger }) => !shouldTrigger);
  const tried =
    history.map((each) => `- (${each.trainScore.toFixed(2)}) ${each.description}`).join("\n") || "- (none)";
  return `Skill: ${skill}
Description now: ${description}

Requests on which it should be read and is not:
${list(missed)}

Requests on which it is read and should not be:
${list(wrong)}

Requests that are right and must stay right:
${list(successes.slice(0, 20))}

Descriptions that were tried, with their score:
${tried}`;
}
