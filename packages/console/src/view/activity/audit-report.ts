export interface AuditFinding {
  readonly seq: number | undefined;
  readonly code: string;
  readonly message: string;
}

export interface AuditReport {
  readonly isSound: boolean;
  readonly entries: number;
  readonly isSigned: boolean;
  readonly problems: readonly AuditFinding[];
  readonly problemCount: number;
}

/** What the gateway says of the record; what is missing counts as nothing good. */
export function readReport(
  answer: Readonly<Record<string, unknown>> & { readonly ok: boolean },
): AuditReport {
  // Each is looked at before it is believed.
  const { ok, entries, isSigned, problems, problemCount } = answer as typeof answer & Partial<AuditReport>;
  const found = Array.isArray(problems) ? problems : [];
  return {
    isSound: ok,
    entries: typeof entries === "number" ? entries : 0,
    isSigned: isSigned === true,
    problems: found,
    problemCount: typeof problemCount === "number" ? problemCount : found.length,
  };
}
