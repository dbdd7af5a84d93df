/** Rules for reading a value from an untrusted program. */
export interface ForeignRules {
  readonly depth: number;
  /** Converts every text and key to its safe form. */
  readonly text: (text: string) => string;
}

/**
 * Copies parsed JSON into a safe form: bounded depth, converted texts, and no `__proto__`, which a careless
 * merge would follow. Returns undefined when the value is too deep.
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
