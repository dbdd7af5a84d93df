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

/** Reads the gateway's report on the record; missing fields get the least favorable value. */
export function readReport(
  answer: Readonly<Record<string, unknown>> & { readonly ok: boolean },
): AuditReport {
  // Each field is checked before use.
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
