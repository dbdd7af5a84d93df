import { ShieldAlert, ShieldCheck, ShieldX } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { useIsAdmin } from "../../../api/session.tsx";
import { useApi } from "../../../api/use-api.ts";
import { Badge, type Tone } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { CodeText } from "../../../ui/code-text.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../../ui/state.tsx";
import { count } from "../../../ui/text.tsx";
import { fileHref } from "../files/file-address.ts";
import type { SkillProps } from "../skill-view.ts";
import type { GuardFinding, GuardReport } from "./guard-report.ts";
import { Waive } from "./waive.tsx";

const verdicts = {
  block: { icon: ShieldX, color: "text-bad", text: "The guard blocks this content." },
  review: { icon: ShieldAlert, color: "text-warn", text: "A person should review this content." },
  clean: { icon: ShieldCheck, color: "text-good", text: "The guard found no problems." },
} as const;
const tones = { block: "bad", warn: "warn", info: "info" } as const satisfies Record<
  GuardFinding["severity"],
  Tone
>;

/** What the content guard found: the abilities of the skill, its findings, and what the last revision added. */
export function Security({ skill }: SkillProps) {
  const { id, revision } = skill.entry;
  const query = revision === undefined ? {} : { revision: String(revision) };
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/guard", { params: { id }, query });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={4} />;
  return (
    <div className="space-y-4">
      <Abilities report={data} />
      {revision !== undefined && revision > 1 && <Widened id={id} revision={revision} />}
      <Findings id={id} revision={revision} findings={data.findings} />
    </div>
  );
}

function Abilities({ report }: { readonly report: GuardReport }) {
  const { verdict, summary, incoherent, limitations, manifest } = report;
  const { icon: Icon, color, text } = verdicts[verdict];
  return (
    <Panel title="What this skill can do">
      <p className="flex items-center gap-2 px-4 py-3 text-sm font-medium">
        <Icon className={`size-4 shrink-0 ${color}`} aria-hidden />
        {text}
      </p>
      <ul className="divide-y divide-line border-t border-line text-sm">
        {summary.length === 0 && (
          <li className="px-4 py-2.5 text-muted">
            Only instructions: no network, no variables, no programs.
          </li>
        )}
        {summary.map((line) => (
          <li key={line} className="px-4 py-2.5 break-words">
            <CodeText text={line} />
          </li>
        ))}
        {incoherent.map(({ capability, value, message }) => (
          <li key={`${capability} ${value}`} className="flex flex-wrap gap-2 px-4 py-2.5">
            <Badge tone="warn">not declared</Badge>
            <span className="min-w-0 flex-1 break-words">
              <CodeText text={message} />
            </span>
          </li>
        ))}
      </ul>
      {limitations.length > 0 && (
        <p className="border-t border-line px-4 py-2.5 text-xs text-muted">
          {Math.floor(manifest.analyzability * 100)} % of the bytes were understood.{" "}
          {count(limitations.length, "file")} could not be read in full:{" "}
          {limitations.map(({ file, reason }) => `${file} (${reason})`).join(", ")}.
        </p>
      )}
    </Panel>
  );
}

function Widened({ id, revision }: { readonly id: string; readonly revision: number }) {
  const query = { from: String(revision - 1), to: String(revision) };
  const { data } = useApi("GET /v1/skills/{id}/guard/diff", { params: { id }, query });
  if (data === undefined) return null;
  const { widened, narrowed } = data;
  return (
    <Panel title={`Changes since r${revision - 1}`}>
      {widened.length + narrowed.length === 0 && (
        <p className="px-4 py-3 text-sm text-muted">This revision can do what the previous one could.</p>
      )}
      <ul className="divide-y divide-line text-sm">
        {[
          { word: "new", tone: "warn", changes: widened } as const,
          { word: "gone", tone: "good", changes: narrowed } as const,
        ].flatMap(({ word, tone, changes }) =>
          changes.map(({ capability, value, seen }) => (
            <li key={`${word} ${capability} ${value}`} className="flex flex-wrap gap-2 px-4 py-2.5">
              <Badge tone={tone}>{word}</Badge>
              <span className="min-w-0 flex-1 break-words">
                {capability}
                {value !== undefined && `: ${value}`}
              </span>
              {seen.slice(0, 1).map(({ file, line }) => (
                <PlaceLink key={file} id={id} file={file} line={line} revision={revision} />
              ))}
            </li>
          )),
        )}
      </ul>
    </Panel>
  );
}

interface FindingsProps {
  readonly id: string;
  readonly revision: number | undefined;
  readonly findings: readonly GuardFinding[];
}

function Findings({ id, revision, findings }: FindingsProps) {
  const isAdmin = useIsAdmin();
  const [waived, setWaived] = useState<GuardFinding>();
  return (
    <Panel title="Findings">
      {findings.length === 0 && <p className="px-4 py-3 text-sm text-muted">No findings.</p>}
      <ol className="divide-y divide-line">
        {findings.map((finding) => (
          <li
            key={`${finding.ruleId} ${finding.file} ${finding.line}`}
            className="flex flex-wrap gap-x-3 gap-y-1 px-4 py-2.5"
          >
            <div className="min-w-0 flex-1 basis-60 space-y-1 text-sm">
              <p className="break-words">
                <CodeText text={finding.message} />
              </p>
              <p className="break-words text-muted">
                <CodeText text={finding.fix} />
              </p>
              <PlaceLink id={id} file={finding.file} line={finding.line} revision={revision} />
              <pre className="rounded bg-raised px-2 py-1 text-xs break-words whitespace-pre-wrap">
                {finding.excerpt}
              </pre>
            </div>
            <div className="flex flex-wrap items-start gap-2">
              {finding.waivedBy !== undefined && <Badge tone="good">waived by {finding.waivedBy}</Badge>}
              <Badge tone={tones[finding.severity]}>{finding.severity}</Badge>
              <span className="font-mono text-xs leading-5 text-muted">{finding.ruleId}</span>
              {isAdmin && finding.waivedBy === undefined && finding.severity !== "info" && (
                <Button onClick={() => setWaived(finding)}>Waive</Button>
              )}
            </div>
          </li>
        ))}
      </ol>
      <Waive id={id} finding={waived} onClose={() => setWaived(undefined)} />
    </Panel>
  );
}

interface PlaceLinkProps {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly revision: number | undefined;
}

function PlaceLink({ id, file, line, revision }: PlaceLinkProps) {
  return (
    <Link
      href={fileHref(id, file, { revision, line })}
      className="font-mono text-xs break-all text-accent-strong underline underline-offset-2"
    >
      {file}:{line}
    </Link>
  );
}
