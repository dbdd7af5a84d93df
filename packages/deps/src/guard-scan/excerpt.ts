const MAX_LENGTH = 160;

/** A line for reports: short, without control and hidden characters, and without values that may be secrets. */
export function excerptOf(line: string): string {
  const plain = line
    .slice(0, 2000)
    .replace(/[^\P{C}\t]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  const redacted = plain
    .replace(/\b((?:sk|pk|ghp|gho|xox[abp]|AKIA|AIza)[-_]?)[A-Za-z0-9_-]{8,}/g, "$1…")
    .replace(/((?:key|token|secret|password|passwd|pwd)["']?\s{0,2}[:=]\s{0,2}["']?)[^\s"'`]{6,}/gi, "$1…")
    .replace(/([A-Za-z0-9+/]{8})[A-Za-z0-9+/=_-]{32,}/g, "$1…");
  return redacted.length > MAX_LENGTH ? `${redacted.slice(0, MAX_LENGTH - 1)}…` : redacted;
}
