import type { Trust } from "@skillhold/protocol";
import type { Answer } from "../../api/client.ts";
import { useApi } from "../../api/use-api.ts";
import { useSkills } from "../../api/use-skills.ts";
import { Panel } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { count, Mono } from "../../ui/text.tsx";
import { trustReasons } from "../../ui/trust-reason.ts";
import { DocumentLinks } from "./document-link.tsx";
import { LimitTable } from "./limit-table.tsx";
import { uptimeOf } from "./uptime.ts";

type Status = Answer<"GET /v1/status">;
type Source = Status["sources"][number];

/** What the gateway says of itself. */
export function About() {
  const { data, error, refetch } = useApi("GET /v1/status");
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={3} />;
  return (
    <>
      <Panel title="Gateway">
        <Facts status={data} />
        <DocumentLinks />
      </Panel>
      <Panel title="Sources">
        <p className="px-4 pt-3 text-sm text-muted">
          {data.sources.length > 1
            ? "When two skills share an id, the source higher up wins."
            : "Where skills come from."}
        </p>
        <Table
          label="List of sources"
          rows={data.sources}
          keyOf={({ label }) => label}
          columns={columnsOf(data.sources)}
        />
      </Panel>
      <LimitTable limits={data.limits} />
    </>
  );
}

function Facts({ status }: { readonly status: Status }) {
  // The same rows as in the view Skills, so that both show the same number.
  const { data: rows } = useSkills();
  const facts = [
    ["Version", status.version],
    ["Store", status.engine === "sqlite" ? "SQLite" : "PostgreSQL"],
    ["Skills", rows === undefined ? "…" : count(rows.length, "skill")],
    ["Sandbox", status.sandbox === "none" ? "none; scripts do not run" : status.sandbox],
    ["Discovery", status.isDiscoverable ? "on; anyone can fetch public skills" : "off"],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 px-4 py-3 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <dt className="text-muted">Uptime</dt>
      <dd>
        <time dateTime={status.startedAt} title={`Since ${status.startedAt}`}>
          {uptimeOf(status.startedAt, Date.now())}
        </time>
      </dd>
    </dl>
  );
}

function columnsOf(sources: readonly Source[]): readonly Column<Source>[] {
  const path: Column<Source> = {
    title: "Folder",
    isMinor: true,
    show: (source) => <Mono className="break-all text-muted">{String(source["path"] ?? "")}</Mono>,
  };
  return [
    { title: "Place", show: (source) => <span className="tabular-nums">{sources.indexOf(source) + 1}</span> },
    { title: "Source", show: ({ label }) => <Mono>{label}</Mono> },
    { title: "Trust", show: (source) => trustOf(String(source["trust"] ?? "")) },
    ...(sources.some((source) => source["path"] !== undefined) ? [path] : []),
  ];
}

function trustOf(trust: string): string {
  // It is one of those that have words.
  return Object.hasOwn(trustReasons, trust) ? `${trust}, ${trustReasons[trust as Trust]}` : trust;
}
