import { Undo2 } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Ago, CopyText, count, formatBytes } from "../../../ui/text.tsx";
import { Rollback } from "./rollback.tsx";
import { sourceOf, type Version } from "./version.ts";

export interface VersionListProps {
  readonly id: string;
  readonly versions: readonly Version[];
  readonly canManage: boolean;
}

/** Every revision there was, the newest first. */
export function VersionList({ id, versions, canManage }: VersionListProps) {
  const [wanted, setWanted] = useState<number>();
  const current = versions.find(({ isCurrent }) => isCurrent)?.revision;
  const actions: Column<Version> = {
    title: "Do",
    isAction: true,
    show: ({ revision, isCurrent, purgedAt }) =>
      isCurrent || purgedAt !== undefined ? null : (
        <Button icon={Undo2} onClick={() => setWanted(revision)}>
          <span className="max-sm:sr-only">
            {current !== undefined && revision > current ? "Roll forward" : "Roll back"}
          </span>
          <span className="sr-only"> to r{revision}</span>
        </Button>
      ),
  };
  return (
    <>
      <Table
        label="All revisions"
        columns={canManage ? [...columnsFor(id), actions] : columnsFor(id)}
        rows={versions}
        keyOf={({ revision }) => String(revision)}
      />
      {current !== undefined && (
        <Rollback id={id} from={current} to={wanted} onClose={() => setWanted(undefined)} />
      )}
    </>
  );
}

function columnsFor(id: string): readonly Column<Version>[] {
  return [
    {
      title: "Revision",
      show: ({ revision, version, isCurrent, purgedAt }) => (
        <span className="flex items-center gap-2 whitespace-nowrap">
          {purgedAt === undefined ? (
            <Link
              href={`/skills/${id}/files?revision=${revision}`}
              className="font-medium tabular-nums hover:underline"
            >
              r{revision}
            </Link>
          ) : (
            <span className="text-muted tabular-nums">r{revision}</span>
          )}
          {version !== undefined && <span className="text-xs text-muted">{version}</span>}
          {isCurrent && <Badge tone="good">current</Badge>}
          {purgedAt !== undefined && <Badge title="Its files were deleted for good">purged</Badge>}
        </span>
      ),
    },
    { title: "When", show: ({ createdAt }) => <Ago at={createdAt} /> },
    { title: "Who", isMinor: true, show: ({ provenance: { by } }) => by.agent ?? by.user },
    {
      title: "From",
      isMinor: true,
      show: ({ provenance }) => <span className="break-words">{sourceOf(provenance)}</span>,
    },
    {
      title: "Size",
      isMinor: true,
      show: ({ files, bytes }) => (
        <span className="whitespace-nowrap tabular-nums">
          {count(files, "file")}, {formatBytes(bytes)}
        </span>
      ),
    },
    {
      title: "Content",
      isMinor: true,
      show: ({ treeHash }) => <CopyText text={treeHash} label="content hash" isShort />,
    },
  ];
}
