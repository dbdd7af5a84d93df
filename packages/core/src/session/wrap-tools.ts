import { SkillError } from "@skillhold/protocol/error";
import type { Argv, ToolVerdict } from "../policy/index.ts";
import type { ToolContext } from "./tool-context.ts";
import { declaredOwner } from "./tool-declared.ts";

/** What stands in front of tools: a session is one. */
export interface ToolGuard {
  /** Judges a call and records it when it is blocked. `owner` is the skill that declares the tool. */
  guard(tool: string, input: unknown, owner?: string): Promise<ToolVerdict>;
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
  /**
   * Where a framework hands over the input of a call; its first argument, if this is not given. Contract: it is what
   * the tool itself reads.
   */
  readonly inputOf?: (args: readonly unknown[]) => unknown;
}

/**
 * Puts a guard in front of tools of any framework: a list of objects or functions with a name, or a map of them. In
 * every object each function under a usual name is guarded, since one that is not would be a way round. A blocked
 * call does not reach the tool; an allowed one gets a `GuardedCall` after its own arguments, as the third at the earliest. Guarded functions
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
  if (isCallable(tool)) return guardFunction({ name, original: tool }, guard, options);
  const owner = declaredOwner(tool);
  const guarded = CALLABLE.flatMap((field): (readonly [string, Callable])[] => {
    const original: unknown = Reflect.get(tool, field);
    if (!isCallable(original)) return [];
    const takesCalls = (field === "invoke" || field === "call") && isLangChain(tool);
    return [[field, guardFunction({ name, original, tool, owner, takesCalls }, guard, options)]];
  });
  if (guarded.length === 0) {
    throw new SkillError("USAGE", `The tool ${name} has no function to guard.`, {
      hint: `A tool has one of ${CALLABLE.join(", ")}; for one that runs elsewhere, call the session's guard there.`,
    });
  }
  if (isPlain(tool)) return { ...tool, ...Object.fromEntries(guarded) };
  // An instance keeps its class; what its other methods call on `this` is guarded as well.
  const descriptors = guarded.map(([field, value]) => [
    field,
    { value, enumerable: true, configurable: true },
  ]);
  return Object.create(tool, Object.fromEntries(descriptors));
}

/** Frameworks hand over an input and, at times, options of theirs, which must not be mistaken for ours. */
const OWN_ARGUMENTS = 2;

/** A class of LangChain says where it belongs. An object that merely looks like a tool reads its input as a whole. */
function isLangChain(tool: object): boolean {
  return !isPlain(tool) && "lc_namespace" in tool && Array.isArray(tool.lc_namespace);
}

function isPlain(tool: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(tool);
  return prototype === Object.prototype || prototype === null;
}

interface GuardedFunction {
  readonly name: string;
  readonly original: Callable;
  readonly tool?: object;
  readonly owner?: string | undefined;
  /** Whether it takes a whole `tool_call` and hands its arguments on. */
  readonly takesCalls?: boolean;
}

function guardFunction(
  { name, original, tool, owner, takesCalls = false }: GuardedFunction,
  guard: ToolGuard,
  { onBlocked = "throw", inputOf }: WrapOptions,
): Callable {
  return async (...args) => {
    const given = inputOf === undefined ? args[0] : inputOf(args);
    let argv: Argv | undefined;
    for (const input of takesCalls && inputOf === undefined ? readingsOf(given) : [given]) {
      const verdict = await guard.guard(name, input, owner);
      if (verdict.verdict === "blocked") {
        const { message, hint, skill, allows } = verdict;
        if (onBlocked === "return") return `${message} ${hint}`;
        throw new SkillError("TOOL_BLOCKED", message, { hint, details: { tool: name, skill, allows } });
      }
      if ("argv" in verdict) argv = verdict.argv ?? argv;
    }
    const call: GuardedCall = { ...guard.toolContext(), ...(argv === undefined ? {} : { argv }) };
    return original.apply(tool, [
      ...args,
      ...Array<undefined>(Math.max(0, OWN_ARGUMENTS - args.length)),
      call,
    ]);
  };
}

/**
 * What a LangChain tool may take for its input. Of a `tool_call` these are the arguments; when there is anything in it
 * that does not belong there, or arguments that are a call again, every reading has to pass.
 */
function readingsOf(input: unknown): readonly unknown[] {
  if (!isToolCall(input)) return [input];
  const isUsual = Object.keys(input).every((key) => CALL_FIELDS.includes(key)) && !isToolCall(input.args);
  return isUsual ? [input.args] : [input, ...readingsOf(input.args)];
}

const CALL_FIELDS = ["type", "id", "name", "args", "index"];

function isToolCall(input: unknown): input is { readonly args: unknown } {
  const isCall = typeof input === "object" && input !== null && "type" in input && input.type === "tool_call";
  return isCall && "args" in input;
}

function isCallable(value: unknown): value is Callable {
  return typeof value === "function";
}
