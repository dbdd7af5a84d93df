import type { ModelReply, ModelRequest, ScriptedCall } from "@skillhold/testing";

/** The listed name of a tool of ours; each client adds its own prefix. */
export function listedName({ tools }: ModelRequest, name: string): string | undefined {
  return tools.map((tool) => tool.name).find((each) => new RegExp(`(?:^|[^a-z])${name}$`).test(each));
}

/** The texts of the tool results so far. */
export function resultsOf({ messages }: ModelRequest): readonly string[] {
  return messages.filter(({ role }) => role === "tool").map(({ text }) => text);
}

/** Makes the calls in order, one per turn, then ends. A request without our tools, such as one for a title, gets a short text. */
export function replyWith(calls: readonly ScriptedCall[], request: ModelRequest): ModelReply {
  if (listedName(request, "read_skill") === undefined) return { text: "No skills." };
  const call = calls[resultsOf(request).length];
  if (call === undefined) return { text: "All done." };
  return { calls: [{ ...call, name: listedName(request, call.name) ?? call.name }] };
}
