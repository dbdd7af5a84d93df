import type { Prompt } from "@modelcontextprotocol/server";

type PromptArgument = NonNullable<Prompt["arguments"]>[number];

const ARGS = "args";
/** The number of words that a user can type after a command of a client that passes words one by one. */
const MAX_WORDS = 40;

/**
 * How a client passes the text that its user types after a command, by the name in its `clientInfo`. `words`: one word per
 * declared argument, and the rest is dropped. `required`: only a required argument gets the text. Others pass it whole.
 */
const styles = [
  { client: /^claude-code$/, style: "words" },
  // Qwen Code adds the name of the server.
  { client: /^(?:gemini|qwen)-cli-mcp-client/, style: "required" },
] as const;

/** The declared arguments of a command, in the form in which the client passes all of its user's text. */
export function argumentsFor(client: string, description: string): PromptArgument[] {
  const style = styles.find((each) => each.client.test(client))?.style;
  const first = { name: ARGS, description, required: style === "required" };
  return style === "words" ? [first, ...furtherWords.map((name) => ({ name, required: false }))] : [first];
}

const furtherWords = Array.from({ length: MAX_WORDS - 1 }, (_, at) => `w${at + 2}`);

/** The user's text, from the arguments that the client sent. */
export function textOfArguments(sent: Readonly<Record<string, string>>): string {
  return [ARGS, ...furtherWords]
    .map((name) => sent[name] ?? "")
    .filter((word) => word !== "")
    .join(" ");
}
