import { SkillError } from "@skillhold/protocol/error";
import type { Argv } from "@skillhold/skill";
import type { ToolVerdict } from "../policy/index.ts";
import { settle, toolBlocked } from "./session-guard.ts";
import type { ToolContext } from "./tool-context.ts";
import { declaredOwner } from "./tool-declared.ts";

/** Guards tool calls. A session is one. */
export interface ToolGuard {
  /** Decides on a call and records a blocked one. `owner` is the skill that declares the tool. */
  guard(tool: string, input: unknown, owner?: string): Promise<ToolVerdict>;
  toolContext(): ToolContext;
}

/** The extra argument of a guarded tool. */
export interface GuardedCall extends ToolContext {
  /** Set when only this command is allowed. Run it without a shell, in place of the input text. */
  readonly argv?: Argv;
}

export interface WrapOptions {
  /** A blocked call returns the reason as text for the model, which is the default, or throws TOOL_BLOCKED. */
  readonly onBlocked?: "throw" | "return";
  /**
   * Finds the input among the arguments; the default is the first argument, or the parsed second one for
   * `invoke(context, text)` of a tool with the type `function`. Contract: returns the value that the tool reads.
   */
  readonly inputOf?: (args: readonly unknown[]) => unknown;
  /**
   * A tool without a function runs elsewhere: `throw`, the default, rejects it with USAGE; `keep` returns it unguarded,
   * and the caller guards it where it runs.
   */
  readonly onUnguardable?: "throw" | "keep";
}

/**
 * Guards the tools of any framework: a list of named objects or functions, or a map of them. Every function under a
 * common name is guarded, because an unguarded one would be a bypass. A blocked call does not reach the tool. An allowed
 * call gets a `GuardedCall` after its own arguments, at the third position or later. Guarded functions return promises.
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
    hint: "Give each tool a name, or pass an object with the names as keys.",
  });
}

function wrapTool(name: string, tool: object, guard: ToolGuard, options: WrapOptions): object {
  if (isCallable(tool)) return guardFunction({ name, original: tool }, guard, options);
  const owner = declaredOwner(tool);
  const guarded = CALLABLE.flatMap((field): (readonly [string, Callable])[] => {
    const original: unknown = Reflect.get(tool, field);
    if (!isCallable(original)) return [];
    const takesCalls = (field === "invoke" || field === "call") && isLangChain(tool);
    const takesText = field === "invoke" && isFunctionTool(tool);
    return [[field, guardFunction({ name, original, tool, owner, takesCalls, takesText }, guard, options)]];
  });
  if (guarded.length === 0) {
    if (options.onUnguardable === "keep") return tool;
    throw new SkillError("USAGE", `The tool ${name} has no function to guard.`, {
      hint: `A tool needs one of ${CALLABLE.join(", ")}. For a tool that runs elsewhere, call the session's guard there.`,
    });
  }
  if (isPlain(tool)) return { ...tool, ...Object.fromEntries(guarded) };
  // The prototype keeps the class, so other methods that call `this` are guarded too.
  const descriptors = guarded.map(([field, value]) => [
    field,
    { value, enumerable: true, configurable: true },
  ]);
  return Object.create(tool, Object.fromEntries(descriptors));
}

/** Frameworks pass the input and sometimes their own options, so ours come after both. */
const OWN_ARGUMENTS = 2;
/** `invoke(context, text, details)`. */
const TEXT_ARGUMENTS = 3;

/** The tools of the OpenAI Agents SDK are plain objects whose `invoke` takes the context and the input as JSON text. */
function isFunctionTool(tool: object): boolean {
  return isPlain(tool) && "type" in tool && tool.type === "function";
}

/** A LangChain class has `lc_namespace`. A plain object reads its input as a whole. */
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
  /** Whether the function accepts a whole `tool_call` and unpacks its arguments. */
  readonly takesCalls?: boolean;
  /** Whether the function accepts a context and the input as JSON text. */
  readonly takesText?: boolean;
}

function guardFunction(
  { name, original, tool, owner, takesCalls = false, takesText = false }: GuardedFunction,
  guard: ToolGuard,
  { onBlocked = "return", inputOf = takesText ? textInput : undefined }: WrapOptions,
): Callable {
  const own = takesText ? TEXT_ARGUMENTS : OWN_ARGUMENTS;
  return async (...args) => {
    const raw = inputOf === undefined ? args[0] : inputOf(args);
    let argv: Argv | undefined;
    for (const input of takesCalls && inputOf === undefined ? readingsOf(raw) : [raw]) {
      const verdict = settle(await guard.guard(name, input, owner));
      if (verdict.verdict === "blocked") {
        if (onBlocked === "return") return `${verdict.message} ${verdict.hint}`;
        throw toolBlocked({ ...verdict, tool: name });
      }
      if ("argv" in verdict) argv = verdict.argv ?? argv;
    }
    const call: GuardedCall = { ...guard.toolContext(), ...(argv === undefined ? {} : { argv }) };
    return original.apply(tool, [...args, ...Array<undefined>(Math.max(0, own - args.length)), call]);
  };
}

/** Text that is no JSON is judged as it is, which no pattern with a limit matches. */
function textInput([, text]: readonly unknown[]): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The inputs that a LangChain tool may read. For a `tool_call` that is its arguments. With unexpected fields, or with
 * arguments that are again a call, every possible reading must pass.
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
