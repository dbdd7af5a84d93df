import type { CommandResult } from "./command.ts";
import { lacksPip } from "./install-tool.ts";

const MAX_LENGTH = 400;

/** The reason of a failed installation in the package manager's words, shortened and without credentials. */
export function describeFailure(result: CommandResult): string {
  const { refused = [] } = result;
  const reason = result.problem ?? describeOutcome(result);
  if (refused.length === 0) return reason;
  return `${reason}; the sandbox refused ${refused.join(", ")}, which is not a configured registry (SKILLHOLD_PACKAGE_HOSTS adds hosts)`;
}

function describeOutcome(result: CommandResult): string {
  switch (result.outcome) {
    case "timed_out":
      return "the installation took longer than dependencyInstallMs";
    case "aborted":
      return "the installation was canceled";
    case "not_started":
      return "the package manager did not start";
    case "exited":
      if (lacksPip(result)) return "pip is missing: install the system package python3-pip, or uv";
      return reasonOf(`${result.stderr}\n${result.stdout}`) ?? `the package manager failed (${result.code})`;
  }
}

/** True when each package alone would fail the same way, so the failure blames no single package. */
export function affectsWholeGroup(result: CommandResult): boolean {
  return result.outcome !== "exited" || lacksPip(result) || NOT_OF_ONE.test(result.stderr);
}

/**
 * npm reports one cause. pip also warns about each unreachable index, and may still find the package in
 * another one, so its warnings are ignored.
 */
const NOT_OF_ONE =
  /npm (?:error|ERR!) code (?:ENOTFOUND|EAI_AGAIN|ECONN[A-Z]+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOSPC|EACCES|SELF_SIGNED_[A-Z_]+|CERT_[A-Z_]+|UNABLE_TO_[A-Z_]+)\b|No space left on device/;

const NO_CONNECTION =
  /NewConnectionError|NameResolutionError|ConnectTimeoutError|ProxyError|SSLError|CERTIFICATE_/;
const ONLY_WHEELS = "only wheels are installed, and this package may have no wheel for this machine";

function reasonOf(text: string): string | undefined {
  const lines = text
    .split("\n")
    .map((line) => line.match(/^(?:npm (?:error|ERR!)|ERROR:|error:)\s*(.*)$/)?.[1]?.trim() ?? "")
    .filter((line) => line !== "" && !/^(?:A complete log|code |errno |404\s*$|404 {2})|\.log$/.test(line));
  const isAbsent = lines.some((line) => line.startsWith("No matching distribution found"));
  const advice = isAbsent ? [NO_CONNECTION.test(text) ? "a package index is unreachable" : ONLY_WHEELS] : [];
  const reason = [...new Set(lines)].slice(0, 3).concat(advice).join("; ");
  if (reason === "") return undefined;
  const clean = reason.replace(/\/\/[^/\s@]*@/g, "//").replace(/\p{Cc}/gu, " ");
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
}
