import type { CommandResult } from "./command.ts";
import { lacksPip } from "./install-tool.ts";

const MAX_LENGTH = 400;

/** Why an installation failed, in the words of the package manager, short and without credentials. */
export function describeFailure(result: CommandResult): string {
  switch (result.outcome) {
    case "timed_out":
      return "it took longer than dependencyInstallMs allows";
    case "aborted":
      return "it was called off";
    case "not_started":
      return "the package manager could not be started";
    case "exited":
      if (lacksPip(result)) return "pip is not there: install the system's package python3-pip, or uv";
      return reasonOf(`${result.stderr}\n${result.stdout}`) ?? `the package manager failed (${result.code})`;
  }
}

/** Whether the failure would be that of each alone too, so that it says nothing about any of them. */
export function isOfAll(result: CommandResult): boolean {
  return result.outcome !== "exited" || lacksPip(result) || NOT_OF_ONE.test(result.stderr);
}

/**
 * npm gives one reason, and it is the reason. pip warns of every index that it cannot reach and may find things in
 * another one, so that its warnings decide nothing.
 */
const NOT_OF_ONE =
  /npm (?:error|ERR!) code (?:ENOTFOUND|EAI_AGAIN|ECONN[A-Z]+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOSPC|EACCES|SELF_SIGNED_[A-Z_]+|CERT_[A-Z_]+|UNABLE_TO_[A-Z_]+)\b|No space left on device/;

const NO_CONNECTION =
  /NewConnectionError|NameResolutionError|ConnectTimeoutError|ProxyError|SSLError|CERTIFICATE_/;
const ONLY_WHEELS = "only wheels are installed, and it may have none for this machine";

function reasonOf(text: string): string | undefined {
  const lines = text
    .split("\n")
    .map((line) => line.match(/^(?:npm (?:error|ERR!)|ERROR:|error:)\s*(.*)$/)?.[1]?.trim() ?? "")
    .filter((line) => line !== "" && !/^(?:A complete log|code |errno |404\s*$|404 {2})|\.log$/.test(line));
  const isAbsent = lines.some((line) => line.startsWith("No matching distribution found"));
  const advice = isAbsent ? [NO_CONNECTION.test(text) ? "an index could not be reached" : ONLY_WHEELS] : [];
  const reason = [...new Set(lines)].slice(0, 3).concat(advice).join("; ");
  if (reason === "") return undefined;
  const clean = reason.replace(/\/\/[^/\s@]*@/g, "//").replace(/\p{Cc}/gu, " ");
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
}
