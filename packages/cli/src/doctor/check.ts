/** One thing that was looked at. `warn` costs something, `fail` breaks something. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  /** What to do; null when there is nothing to do. */
  readonly fix: string | null;
  /** The single cases, a line each. */
  readonly details: readonly string[];
}

export function ok(name: string, message: string, details: readonly string[] = []): Check {
  return { name, status: "ok", message, fix: null, details };
}

export function warn(name: string, message: string, fix: string, details: readonly string[] = []): Check {
  return { name, status: "warn", message, fix, details };
}

export function failed(name: string, message: string, fix: string, details: readonly string[] = []): Check {
  return { name, status: "fail", message, fix, details };
}
