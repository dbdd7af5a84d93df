import type { ApprovalRequest } from "./approval.ts";

/**
 * The shape of the arguments: which options and which command a run uses, without the values. An approval for content
 * covers every request of the same shape. Options stay as written, a leading lowercase word counts as a command, and any
 * number of values in a row is one `*`. A tool's input is described by its field names and types.
 */
export function argumentShape({
  act,
  args,
  stdin,
}: Pick<ApprovalRequest, "act" | "args" | "stdin">): readonly string[] {
  // The target is the prefix of the command, which is its shape.
  if (act === "use_tool") return [];
  const parts = act === "run_script" ? scriptShape(args) : act === "call_tool" ? args.map(inputShape) : args;
  return [...parts, stdin === undefined ? "" : "<stdin"];
}

const VALUE = "*";

function scriptShape(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const shape = args.map((arg, at) => {
    if (end >= 0 && at > end) return VALUE;
    if (/^-(?!\.?\d|$)/.test(arg)) return optionShape(arg);
    return at === 0 && /^[a-z][a-z0-9-]*$/.test(arg) ? arg : VALUE;
  });
  return shape.filter((part, at) => part !== VALUE || shape[at - 1] !== VALUE);
}

/** `--out=a.pdf` has the shape `--out=*`. A short option may carry its value, so it stays whole. */
function optionShape(arg: string): string {
  const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
  return equals < 0 ? arg : `${arg.slice(0, equals)}=${VALUE}`;
}

function inputShape(text: string): string {
  try {
    return JSON.stringify(typeShape(JSON.parse(text), 0));
  } catch {
    // Text that is no JSON has no other shape than itself.
    return text;
  }
}

const DEEPEST = 32;

function typeShape(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(typeShape(item, depth + 1)));
    return [...new Set(items)].toSorted();
  }
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  const fields = Object.entries(value).map(([name, field]) => [name, typeShape(field, depth + 1)] as const);
  // A list of pairs, because a field may be named `__proto__`.
  return { fields: fields.toSorted(([a], [b]) => (a < b ? -1 : 1)) };
}
