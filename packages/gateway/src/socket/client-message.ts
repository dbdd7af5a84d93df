import { SkillError } from "@skillhold/protocol/error";
import { ClientMessage } from "@skillhold/protocol/http";

/** What a client said, or what is wrong with it. */
export type ReadMessage =
  | { readonly id: number; readonly message: ClientMessage }
  | { readonly id: number | undefined; readonly fault: SkillError };

const methods: readonly string[] = ClientMessage.options.map(({ shape }) => shape.method.value);

export function readMessage(text: string): ReadMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { id: undefined, fault: usage("The message is not JSON.", "Send one object of JSON a message.") };
  }
  const parsed = ClientMessage.safeParse(value);
  if (parsed.success) return { id: parsed.data.id, message: parsed.data };
  const { id, method } = fieldsOf(value);
  if (typeof method === "string" && !methods.includes(method))
    return { id, fault: usage(`There is no method ${JSON.stringify(method.slice(0, 64))}.`, known()) };
  const faults = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`));
  const said = faults.join("; ").slice(0, 500);
  return { id, fault: usage(`The message is not as it should be: ${said}.`, known()) };
}

/** The id under which it is answered, if there is any to be found. */
function fieldsOf(value: unknown): { readonly id: number | undefined; readonly method: unknown } {
  if (typeof value !== "object" || value === null) return { id: undefined, method: undefined };
  const id = "id" in value && Number.isSafeInteger(value.id) ? Number(value.id) : undefined;
  return { id, method: "method" in value ? value.method : undefined };
}

function known(): string {
  return `A message has an id, params, and one of the methods ${methods.join(", ")}.`;
}

function usage(message: string, hint: string): SkillError {
  return new SkillError("USAGE", message, { hint });
}
