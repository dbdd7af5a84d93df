import { z } from "zod";
import { type Model, ModelFailure, type ModelTurn } from "./model.ts";

const reply = z.strictObject({
  /** Text of the user's prompt that this reply is for; any prompt without it. */
  match: z.string().optional(),
  /** The turn that this reply is for, from 1; any turn without it. */
  turn: z.int().min(1).optional(),
  /** Text that the model must see: in the system prompt or in any message. */
  sees: z.string().optional(),
  text: z.string().optional(),
  calls: z
    .array(z.strictObject({ name: z.string(), input: z.record(z.string(), z.unknown()).default({}) }))
    .optional(),
  /** The model fails with this message. */
  fail: z.string().optional(),
  /** The model never answers. */
  hang: z.literal(true).optional(),
});

const scriptSchema = z.strictObject({ model: z.string().default("script"), replies: z.array(reply).min(1) });

export type ModelScript = z.input<typeof scriptSchema>;

export interface ReadModelScript {
  readonly script?: z.output<typeof scriptSchema>;
  readonly problem?: string;
}

/** Reads the file of a scripted model. Never throws. */
export function readModelScript(text: string): ReadModelScript {
  try {
    const parsed = scriptSchema.safeParse(JSON.parse(text));
    if (parsed.success) return { script: parsed.data };
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}` };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A model that answers with the first reply of its script that fits. For tests and demos: it proves no skill. */
export function scriptModel(input: ModelScript): Model {
  const { model, replies } = scriptSchema.parse(input);
  return {
    name: model,
    complete: async (turn, signal) => {
      const found = replies.find((each) => fits(each, turn));
      if (found === undefined) throw new ModelFailure("The script has no reply for this turn.");
      if (found.hang) await untilAborted(signal);
      if (found.fail !== undefined) throw new ModelFailure(found.fail);
      const number = turnOf(turn);
      return {
        text: found.text ?? "",
        calls: (found.calls ?? []).map((call, index) => ({ id: `call-${number}-${index}`, ...call })),
        usage: { input: 100, output: 10, cached: 0 },
      };
    },
  };
}

function fits({ match, turn: wanted, sees }: z.output<typeof reply>, turn: ModelTurn): boolean {
  const [first] = turn.messages;
  if (match !== undefined && !(first?.role === "user" && first.text.includes(match))) return false;
  if (wanted !== undefined && wanted !== turnOf(turn)) return false;
  return (
    sees === undefined ||
    turn.system.includes(sees) ||
    turn.messages.some((each) => textOf(each).includes(sees))
  );
}

function turnOf({ messages }: ModelTurn): number {
  return messages.filter(({ role }) => role === "assistant").length + 1;
}

function textOf(message: ModelTurn["messages"][number]): string {
  return message.role === "tool" ? message.results.map(({ text }) => text).join("\n") : message.text;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
