import { Link } from "wouter";
import { Badge, type Tone } from "../../../ui/badge.tsx";
import { CodeText } from "../../../ui/code-text.tsx";
import { fileHref } from "../files/file-address.ts";
import type { Checked } from "./use-checked.ts";

type Finding = Checked["diagnostics"][number];

const tones = { error: "bad", warning: "warn", info: "info" } as const satisfies Record<
  Finding["severity"],
  Tone
>;

export interface FindingListProps {
  readonly id: string;
  readonly path: string;
  readonly revision: number | undefined;
  readonly findings: readonly Finding[];
}

/** The findings in file order; each links to its line. */
export function FindingList({ id, path, revision, findings }: FindingListProps) {
  return (
    <ol className="divide-y divide-line border-t border-line">
      {findings.map(({ code, severity, line, column, message, fix, file }) => (
        <li
          key={`${code} ${file} ${line} ${column} ${message}`}
          className="flex flex-wrap gap-x-3 gap-y-1 px-4 py-2.5"
        >
          <Link
            href={fileHref(id, file ?? path, { revision, line })}
            className="w-16 shrink-0 font-mono text-xs leading-5 text-accent-strong underline underline-offset-2"
          >
            line {line}
          </Link>
          <div className="min-w-0 flex-1 basis-60 text-sm">
            <p className="break-words">
              <CodeText text={message} />
            </p>
            <p className="break-words text-muted">
              <CodeText text={fix} />
            </p>
          </div>
          <div className="flex flex-wrap items-start gap-2">
            <Badge tone={tones[severity]}>{severity === "info" ? "note" : severity}</Badge>
            <span className="font-mono text-xs leading-5 text-muted">{code}</span>
          </div>
        </li>
      ))}
    </ol>
  );
}
