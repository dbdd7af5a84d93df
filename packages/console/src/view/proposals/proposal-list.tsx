import { GitPullRequest } from "lucide-react";
import { Link, useLocation } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { Ago } from "../../ui/text.tsx";
import { useRowKeys } from "../skills/use-row-keys.ts";
import { nameOf, type Proposal, states } from "./proposal.ts";

export interface ProposalListProps {
  readonly query: { readonly skill?: string; readonly state?: string; readonly waiting?: "true" };
  /** The text for an empty list. */
  readonly empty: string;
}

/** Proposals, the newest first. Keys j and k move, Enter opens. */
export function ProposalList({ query, empty }: ProposalListProps) {
  const { data, error, refetch } = useApi("GET /v1/proposals", { query });
  const [, go] = useLocation();
  const rows = data?.proposals ?? [];
  const at = useRowKeys(rows.length, {
    onMove: (to) => document.getElementById(`proposal-${to}`)?.scrollIntoView({ block: "nearest" }),
    onOpen: (which) => go(`/proposals/${rows[which]?.id}`),
    onChoose: () => {},
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={3} />;
  if (rows.length === 0)
    return (
      <Empty icon={GitPullRequest} title={empty}>
        Agents propose changes with the tools of their sessions. People edit a file of a skill and propose the
        change.
      </Empty>
    );
  return (
    <ul className="divide-y divide-line">
      {rows.map((row, which) => (
        <li key={row.id} id={`proposal-${which}`} className="scroll-my-16">
          <ProposalLine row={row} isHere={which === at} />
        </li>
      ))}
    </ul>
  );
}

function ProposalLine({ row, isHere }: { readonly row: Proposal; readonly isHere: boolean }) {
  const [word, tone] = states[row.state];
  return (
    <Link
      href={`/proposals/${row.id}`}
      className={classNames(
        "block space-y-1 px-4 py-3 text-sm hover:bg-raised focus-visible:-outline-offset-2",
        isHere && "bg-raised",
      )}
    >
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium break-all">{row.skill}</span>
        <Badge tone={tone}>{word}</Badge>
        {row.kind === "create" && <Badge tone="accent">new skill</Badge>}
        {(row.widened?.length ?? 0) > 0 && <Badge tone="warn">wants more</Badge>}
        {row.verdict === "block" && <Badge tone="bad">guard blocks</Badge>}
      </span>
      <span className="line-clamp-2 break-words text-muted">{row.justification}</span>
      <span className="block text-xs text-muted">
        {nameOf(row.author)}, <Ago at={row.createdAt} />
      </span>
    </Link>
  );
}
