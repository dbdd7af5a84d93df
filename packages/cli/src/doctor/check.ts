/** The result of one check. `warn` limits some feature; `fail` breaks one. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  /** How to fix the problem; null when the check passed. */
  readonly fix: string | null;
  /** The individual cases, one line each. */
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
