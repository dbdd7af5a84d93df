import type { Diagnostic } from "@skillhold/protocol";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { count } from "../../ui/text.tsx";

const tones: Readonly<Record<Diagnostic["severity"], Tone>> = { error: "bad", warning: "warn", info: "info" };
const LONGEST = 200;

export interface FindingListProps {
  readonly findings: readonly Diagnostic[];
  /** Of SKILL.md; the line that something is said of is shown with it. */
  readonly lines: readonly string[];
}

/** The findings in a SKILL.md, ordered by line. */
export function FindingList({ findings, lines }: FindingListProps) {
  if (findings.length === 0) return null;
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const rest = findings.length - errors;
  const told = [
    ...(errors > 0 ? [count(errors, "error")] : []),
    ...(rest > 0 ? [count(rest, "remark")] : []),
  ];
  return (
    <details open={errors > 0}>
      <summary className="text-sm text-muted hover:text-ink">{told.join(", ")}</summary>
      <ul className="mt-2 divide-y divide-line rounded-md border border-line">
        {findings.map((finding) => {
          const { code, file, line, column, message } = finding;
          return (
            <Finding
              key={`${code} ${file} ${line} ${column} ${message}`}
              finding={finding}
              text={file === undefined ? lines[line - 1] : undefined}
            />
          );
        })}
      </ul>
    </details>
  );
}

function Finding({
  finding: { severity, line, column, code, message, fix, file },
  text,
}: {
  readonly finding: Diagnostic;
  readonly text: string | undefined;
}) {
  return (
    <li className="space-y-1 px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={tones[severity]}>{severity}</Badge>
        <span className="font-mono text-xs break-all text-muted">
          {file ?? "SKILL.md"}:{line}:{column}
        </span>
        <span className="font-mono text-xs text-faint">{code}</span>
      </div>
      <p className="break-words">{message}</p>
      {text !== undefined && text.trim() !== "" && (
        <pre className="overflow-hidden rounded bg-raised px-2 py-1 font-mono text-xs text-ellipsis whitespace-pre">
          <span className="pr-3 text-faint select-none">{line}</span>
          {text.slice(0, LONGEST)}
        </pre>
      )}
      <p className="break-words text-muted">{fix}</p>
    </li>
  );
}
