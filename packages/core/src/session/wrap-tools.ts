import { SkillError } from "@skillhold/protocol/error";
import type { Argv, ToolVerdict } from "../policy/index.ts";
import type { ToolContext } from "./tool-context.ts";

/** What stands in front of tools: a session is one. */
export interface ToolGuard {
  /** Judges a call and records it when it is blocked. */
  guard(tool: string, input: unknown): Promise<ToolVerdict>;
  toolContext(): ToolContext;
}

/** What a guarded tool gets after its own arguments. */
export interface GuardedCall extends ToolContext {
  /** Set where only this command is allowed: run it, without a shell, instead of the text that came in. */
  readonly argv?: Argv;
}

export interface WrapOptions {
  /** A blocked call throws TOOL_BLOCKED, or returns the reason as text for the model. */
  readonly onBlocked?: "throw" | "return";
  /** Where a framework hands over the input of a call; its first argument, if this is not given. */
  readonly inputOf?: (args: readonly unknown[]) => unknown;
}

/**
 * Puts a guard in front of tools of any framework: a list of objects or functions with a name, or a map of them. In
 * every object each function under a usual name is guarded, since one that is not would be a way round. A blocked
 * call does not reach the tool; an allowed one gets a `GuardedCall` after its own arguments. Guarded functions
 * return promises.
 */
export function wrapTools<Tool extends object>(
  tools: readonly Tool[],
  guard: ToolGuard,
  options?: WrapOptions,
): readonly Tool[];
export function wrapTools<Tools extends Readonly<Record<string, object>>>(
  tools: Tools,
  guard: ToolGuard,
  options?: WrapOptions,
): Tools;
export function wrapTools(
  tools: readonly object[] | Readonly<Record<string, object>>,
  guard: ToolGuard,
  options: WrapOptions = {},
): unknown {
  if (isList(tools)) return tools.map((tool) => wrapTool(nameOf(tool), tool, guard, options));
  const entries = Object.entries(tools).map(([name, tool]) => [name, wrapTool(name, tool, guard, options)]);
  return Object.fromEntries(entries);
}

const CALLABLE = ["execute", "run", "invoke", "handler", "call", "func", "_call"] as const;

type Callable = (...args: readonly unknown[]) => unknown;

function isList(tools: readonly object[] | Readonly<Record<string, object>>): tools is readonly object[] {
  return Array.isArray(tools);
}

function nameOf(tool: object): string {
  if ("name" in tool && typeof tool.name === "string" && tool.name !== "") return tool.name;
  throw new SkillError("USAGE", "A tool in the list has no name.", {
    hint: "Give each tool a name, or hand over an object with the names as keys.",
  });
}

function wrapTool(name: string, tool: object, guard: ToolGuard, options: WrapOptions): object {
  if (isCallable(tool)) return guardFunction(name, undefined, tool, guard, options);
  const guarded = CALLABLE.flatMap((field): (readonly [string, Callable])[] => {
    const original: unknown = Reflect.get(tool, field);
    return isCallable(original) ? [[field, guardFunction(name, tool, original, guard, options)]] : [];
  });
  if (guarded.length === 0) {
    throw new SkillError("USAGE", `The tool ${name} has no function to guard.`, {
      hint: `A tool has one of ${CALLABLE.join(", ")}; for one that runs elsewhere, call the session's guard there.`,
    });
  }
  const prototype: unknown = Object.getPrototypeOf(tool);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (isPlain) return { ...tool, ...Object.fromEntries(guarded) };
  // An instance keeps its class; what its other methods call on `this` is guarded as well.
  const descriptors = guarded.map(([field, value]) => [
    field,
    { value, enumerable: true, configurable: true },
  ]);
  return Object.create(tool, Object.fromEntries(descriptors));
}

function guardFunction(
  name: string,
  tool: object | undefined,
  original: Callable,
  guard: ToolGuard,
  { onBlocked = "throw", inputOf = firstInput }: WrapOptions,
): Callable {
  return async (...args) => {
    const verdict = await guard.guard(name, inputOf(args));
    if (verdict.verdict === "blocked") {
      const { message, hint, skill, allows } = verdict;
      if (onBlocked === "return") return `${message} ${hint}`;
      throw new SkillError("TOOL_BLOCKED", message, { hint, details: { tool: name, skill, allows } });
    }
    const argv = "argv" in verdict && verdict.argv !== undefined ? { argv: verdict.argv } : {};
    const call: GuardedCall = { ...guard.toolContext(), ...argv };
    return original.apply(tool, [...args, call]);
  };
}

/** LangChain hands over a whole `tool_call`, whose arguments are the input. */
function firstInput([input]: readonly unknown[]): unknown {
  const isCall = typeof input === "object" && input !== null && "type" in input && input.type === "tool_call";
  return isCall && "args" in input ? input.args : input;
}

function isCallable(value: unknown): value is Callable {
  return typeof value === "function";
}
