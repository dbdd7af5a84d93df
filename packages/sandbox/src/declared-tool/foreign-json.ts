/** How a value is to be read that a stranger's program has sent. */
export interface ForeignRules {
  readonly depth: number;
  /** Gives every text and every key as it may be handed on. */
  readonly text: (text: string) => string;
}

/**
 * A copy of parsed JSON that is safe to hand on: no deeper than it may be, its texts changed by the rules, and without
 * `__proto__`, which a careless merge would follow. Nothing when it is too deep.
 */
export function readForeign(value: unknown, rules: ForeignRules): { readonly value: unknown } | undefined {
  try {
    return { value: copy(value, rules, 0) };
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

class TooDeep extends Error {}

function copy(value: unknown, rules: ForeignRules, depth: number): unknown {
  if (typeof value === "string") return rules.text(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= rules.depth) throw new TooDeep();
  if (Array.isArray(value)) return value.map((member) => copy(member, rules, depth + 1));
  const entries: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (key !== "__proto__") entries.push([rules.text(key), copy(member, rules, depth + 1)]);
  }
  return Object.fromEntries(entries);
}
