import { Equal, ShieldAlert, ShieldCheck, ShieldX } from "lucide-react";
import { Link } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { CodeText } from "../../ui/code-text.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { SafeLink } from "../../ui/safe-link.tsx";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { Ago, count, Mono } from "../../ui/text.tsx";
import { FieldChanges, FileChange } from "../skill/versions/compare.tsx";
import { DiffLookButton } from "../skill/versions/diff-look.tsx";
import { decisions, nameOf, type ProposalDetail, states } from "./proposal.ts";
import { ProposalEvals } from "./proposal-evals.tsx";
import { ProposalReview } from "./proposal-review.tsx";

/** One proposal: why, what changes, what it could do, and the decision. */
export function ProposalPage({ id }: { readonly id: string }) {
  const { data, error, refetch } = useApi("GET /v1/proposals/{proposal}", { params: { proposal: id } });
  if (error !== null)
    return (
      <Page title="Proposal">
        <Failure error={error} onRetry={() => void refetch()} />
        <p className="px-4 text-sm">
          <Link href="/proposals" className="text-accent-strong underline">
            All proposals
          </Link>
        </p>
      </Page>
    );
  if (data === undefined) return <SkeletonRows count={5} />;
  const [word, tone] = states[data.state];
  return (
    <Page
      title={`${data.kind === "create" ? "New skill" : "Change of"} ${data.skill}`}
      about={
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={tone}>{word}</Badge>
          <span>
            by {nameOf(data.author)}, <Ago at={data.createdAt} />
          </span>
          {data.applied?.revision !== undefined && (
            <Link
              href={`/skills/${data.skill}/versions`}
              className="text-accent-strong underline underline-offset-2"
            >
              applied as r{data.applied.revision}
            </Link>
          )}
        </span>
      }
    >
      <Panel title="Reason">
        <p className="px-4 py-3 text-sm break-words whitespace-pre-wrap">{data.justification}</p>
        <EvidenceList proposal={data} />
      </Panel>
      <GuardPanel guard={data.guard} />
      <ProposalEvals id={id} />
      <DiffPanel id={id} candidate={data.candidate} />
      <Reviews proposal={data} />
      <ProposalReview proposal={data} />
    </Page>
  );
}

function EvidenceList({ proposal: { evidence, session } }: { readonly proposal: ProposalDetail }) {
  if (evidence.length === 0 && session === undefined) return null;
  return (
    <ul aria-label="Evidence" className="divide-y divide-line border-t border-line text-sm">
      {session !== undefined && (
        <li className="px-4 py-2">
          Made in the <SessionLink session={session} />.
        </li>
      )}
      {evidence.map((each) => (
        <li key={JSON.stringify(each)} className="px-4 py-2 break-words">
          <Evidence evidence={each} />
        </li>
      ))}
    </ul>
  );
}

function SessionLink({ session }: { readonly session: string }) {
  return (
    <Link
      href={`/activity/${encodeURIComponent(session)}`}
      className="text-accent-strong underline underline-offset-2"
    >
      session {session.slice(0, 8)}
    </Link>
  );
}

function Evidence({ evidence }: { readonly evidence: ProposalDetail["evidence"][number] }) {
  switch (evidence.kind) {
    case "url":
      return <SafeLink href={evidence.value}>{evidence.value}</SafeLink>;
    case "session":
      return <SessionLink session={evidence.value} />;
    case "text":
      return <span className="whitespace-pre-wrap">{evidence.value}</span>;
    case "event":
      return <span>Event {evidence.value}</span>;
    case "run": {
      const { skill, script, exitCode, outcome, stdout, stderr, run } = evidence;
      const isGood = outcome === "exited" && exitCode === 0;
      return (
        <div className="space-y-2">
          <p className="flex flex-wrap items-center gap-2">
            <Mono>
              {skill}/{script}
            </Mono>
            <Badge tone={isGood ? "good" : "bad"}>
              {outcome === "exited" ? `exit ${exitCode}` : outcome}
            </Badge>
          </p>
          {stdout !== "" && <ScrollText label={`Output of run ${run}`} text={stdout} className="max-h-64" />}
          {stderr !== "" && <ScrollText label={`Errors of run ${run}`} text={stderr} className="max-h-64" />}
        </div>
      );
    }
  }
}

const verdicts = {
  block: { icon: ShieldX, color: "text-bad", text: "The guard blocks this content." },
  review: { icon: ShieldAlert, color: "text-warn", text: "The guard asks for a close look." },
  clean: { icon: ShieldCheck, color: "text-good", text: "The guard found no problems." },
} as const;
const severities = { block: "bad", warn: "warn", info: "info" } as const;

/** What the candidate could do that the current content cannot, and the findings in it. */
function GuardPanel({ guard }: Pick<ProposalDetail, "guard">) {
  if (guard === undefined) return null;
  const { icon: Icon, color, text } = verdicts[guard.verdict];
  const changes = [
    ...guard.widened.map((each) => ({ ...each, word: "new", tone: "warn" }) as const),
    ...guard.narrowed.map((each) => ({ ...each, word: "gone", tone: "good" }) as const),
  ];
  return (
    <Panel title="Security">
      <p className="flex items-center gap-2 px-4 py-3 text-sm font-medium">
        <Icon className={`size-4 shrink-0 ${color}`} aria-hidden />
        {text}
        {guard.widened.length > 0 &&
          ` It wants ${count(guard.widened.length, "capability").replace("capabilitys", "capabilities")} more.`}
      </p>
      <ul aria-label="Capabilities" className="divide-y divide-line text-sm empty:hidden">
        {changes.map(({ word, tone, capability, value, seen }) => (
          <li key={`${word} ${capability} ${value}`} className="flex flex-wrap gap-2 px-4 py-2">
            <Badge tone={tone}>{word}</Badge>
            <span className="min-w-0 flex-1 break-words">
              {capability}
              {value !== undefined && `: ${value}`}
            </span>
            <span className="font-mono text-xs text-muted">
              {seen.slice(0, 1).map(({ file, line }) => `${file}:${line}`)}
            </span>
          </li>
        ))}
      </ul>
      <ul aria-label="Findings" className="divide-y divide-line border-t border-line text-sm empty:hidden">
        {guard.findings.map(({ ruleId, severity, file, line, message, fix, waivedBy }) => (
          <li key={`${ruleId} ${file} ${line}`} className="space-y-1 px-4 py-2">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone={severities[severity]}>{severity}</Badge>
              {waivedBy !== undefined && <Badge tone="good">waived by {waivedBy}</Badge>}
              <span className="font-mono text-xs text-muted">
                {ruleId} · {file}:{line}
              </span>
            </p>
            <p className="break-words">
              <CodeText text={message} />
            </p>
            <p className="break-words text-muted">
              <CodeText text={fix} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface DiffPanelProps {
  readonly id: string;
  /** A rebased proposal has another diff. */
  readonly candidate: string;
}

function DiffPanel({ id, candidate }: DiffPanelProps) {
  const { data, error, refetch } = useApi("GET /v1/proposals/{proposal}/diff", { params: { proposal: id } });
  return (
    <Panel title="Changes" actions={<DiffLookButton />}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={3} />}
      {data?.files.length === 0 && <Empty icon={Equal} title="No differences" />}
      {data !== undefined && (
        <div key={candidate} className="divide-y divide-line">
          <FieldChanges fields={data.fields} />
          {data.files.map((file) => (
            <FileChange key={file.path} file={file} />
          ))}
        </div>
      )}
    </Panel>
  );
}

function Reviews({ proposal: { reviews, missingReviewers } }: { readonly proposal: ProposalDetail }) {
  if (reviews.length === 0 && missingReviewers.length === 0) return null;
  return (
    <Panel title="Reviews">
      <ol className="divide-y divide-line text-sm">
        {reviews.map(({ by, decision, comment, at, isCurrent }) => {
          const [word, tone] = decisions[decision];
          return (
            <li key={`${at} ${decision}`} className="space-y-1 px-4 py-2.5">
              <p className="flex flex-wrap items-center gap-2">
                <span className="font-medium">{nameOf(by)}</span>
                <Badge tone={tone}>{word}</Badge>
                {!isCurrent && <Badge>of an earlier version</Badge>}
                <span className="text-xs text-muted">
                  <Ago at={at} />
                </span>
              </p>
              {comment !== undefined && comment !== "" && (
                <p className="break-words whitespace-pre-wrap">{comment}</p>
              )}
            </li>
          );
        })}
      </ol>
      {missingReviewers.length > 0 && (
        <p className="border-t border-line px-4 py-2.5 text-sm text-warn">
          Still needs the approval of {missingReviewers.map(({ key }) => key).join(", ")}.
        </p>
      )}
    </Panel>
  );
}
