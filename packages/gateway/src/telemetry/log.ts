/** A line of the gateway's own log: what went on, never what was said. */
export interface LogEntry {
  readonly level: "info" | "warning" | "error";
  readonly event: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly error?: unknown;
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
}
