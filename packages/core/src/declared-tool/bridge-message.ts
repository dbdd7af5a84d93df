import { z } from "zod";

const MB = 1024 * 1024;

/** What the host takes from a bridge at most. A longer line ends its process; what is too large beyond that is left out. */
export const bridgeLimits = {
  lineBytes: 4 * MB,
  tools: 256,
  problems: 512,
  nameLength: 128,
  descriptionLength: 4096,
  schemaTextLength: 1024,
  schemaBytes: 64 * 1024,
  schemaDepth: 32,
  resultDepth: 64,
  messageLength: 2000,
  /** Lines that mean nothing; more of them end the process. */
  strayLines: 1000,
} as const;

const Loading = z.object({ type: z.literal("loading"), file: z.string() });

const Ready = z.object({
  type: z.literal("ready"),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string(),
        file: z.string(),
        inputSchema: z.unknown().optional(),
        outputSchema: z.unknown().optional(),
      }),
    )
    .max(bridgeLimits.tools),
  problems: z.array(z.object({ file: z.string(), error: z.string() })).max(bridgeLimits.problems),
});
export type BridgeReady = z.infer<typeof Ready>;

const Reply = z.discriminatedUnion("ok", [
  z.object({ id: z.int(), ok: z.literal(true), result: z.unknown().optional() }),
  z.object({ id: z.int(), ok: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);
export type BridgeReply = z.infer<typeof Reply>;

const Message = z.union([Loading, Ready, Reply]);
export type BridgeMessage = z.infer<typeof Message>;

/** A line that a bridge has sent, or nothing when it says nothing: a tool can write to the channel as well. */
export function readBridgeMessage(line: string): BridgeMessage | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  return Message.safeParse(parsed).data;
}

/** What a bridge is asked. */
export type BridgeRequest =
  | {
      readonly id: number;
      readonly method: "load";
      readonly files: readonly string[];
      readonly moduleMs: number;
      readonly lineBytes: number;
    }
  | { readonly id: number; readonly method: "call"; readonly name: string; readonly args: unknown }
  | { readonly id: number; readonly method: "cancel" };
