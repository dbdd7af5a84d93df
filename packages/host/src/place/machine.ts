/** The process around Skillhold. Contract: no other module reads `process.env` or the working folder. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The absolute folder that relative paths start from. */
  readonly cwd: string;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Shows a warning to the user. */
  readonly warn: (message: string) => void;
}

export type Env = Machine["env"];

/** Where things are: enough to find folders and stores. */
export type ProcessContext = Pick<Machine, "env" | "cwd">;

/** This process, as a machine. */
export function thisMachine(change: Partial<Machine> = {}): Machine {
  return {
    env: process.env,
    cwd: process.cwd(),
    signal: new AbortController().signal,
    warn: (message) => process.emitWarning(message, "SkillholdWarning"),
    ...change,
  };
}

/** An object without its undefined fields, for options whose absence has a meaning. */
export function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only fields with a value are left, each under its own key.
  return Object.fromEntries(entries) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}
