/** An entry of the gateway's log. It never contains request or skill content. */
export interface LogEntry {
  readonly level: "info" | "warning" | "error";
  readonly event: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly error?: unknown;
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
}
