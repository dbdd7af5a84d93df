import type { GuardReport } from "@skillhold/skill/guard";
import { scanGuard } from "./scan-guard.ts";

export const HEAD = "---\nname: demo\ndescription: A demo.\n---\n";

/** Scans a skill that is written as a table of paths and texts; SKILL.md is added when it is missing. */
export async function scanTexts(texts: Readonly<Record<string, string | Uint8Array>>): Promise<GuardReport> {
  const all = { "SKILL.md": `${HEAD}# Demo\n`, ...texts };
  return await scanGuard(
    Object.entries(all).map(([path, text]) => ({
      path,
      bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
    })),
  );
}

/** The findings as `severity rule file:line`, without info. */
export function brief({ findings }: GuardReport): readonly string[] {
  return findings
    .filter(({ severity }) => severity !== "info")
    .map(({ severity, ruleId, file, line }) => `${severity} ${ruleId} ${file}:${line}`);
}
