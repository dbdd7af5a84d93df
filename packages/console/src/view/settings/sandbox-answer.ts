export type Report = Readonly<Record<string, unknown>> & { readonly ok: boolean };

export interface Check {
  readonly name: string;
  readonly title: string;
  readonly isConfined: boolean;
  /** The answer of the operating system. */
  readonly detail: string;
}

/** Reads the sandbox checks and skips other items, because the report may gain new ones. */
export function readChecks(value: unknown): readonly Check[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    const { name, title, isConfined, detail } = fieldsOf(each);
    if (typeof name !== "string" || typeof isConfined !== "boolean") return [];
    return [{ name, title: textOf(title) || name, isConfined, detail: textOf(detail) }];
  });
}

/** Why there is no sandbox, and what to do about it. */
export function readProblem(value: unknown): { readonly message: string; readonly hint: string } | undefined {
  const { message, hint } = fieldsOf(value);
  return typeof message === "string" ? { message, hint: textOf(hint) } : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
