import { Bot, Plus } from "lucide-react";
import { Link, useSearchParams } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { decodePart } from "../../ui/decode-part.ts";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago, count, Mono } from "../../ui/text.tsx";
import { Agent } from "./agent.tsx";
import type { AgentView } from "./agent-view.ts";
import { NewAgent } from "./new-agent.tsx";
import { PendingGrants } from "./pending-grants.tsx";

/** The agents that skills are granted to. */
export function Agents({ agent }: { readonly agent: string | undefined }) {
  return agent === undefined ? <AgentList /> : <Agent key={agent} agentKey={decodePart(agent)} />;
}

function AgentList() {
  const [search, setSearch] = useSearchParams();
  const { data, error, isPending, refetch } = useApi("GET /v1/agents");
  const agents = data?.agents ?? [];
  const open = (isOpen: boolean) => setSearch(isOpen ? { new: "" } : {}, { replace: true });
  return (
    <Page
      title="Agents"
      about="Agents get skills through grants, and can be limited to some skills and pinned to revisions."
      actions={
        <Button look="primary" icon={Plus} onClick={() => open(true)}>
          New agent
        </Button>
      }
    >
      <PendingGrants />
      <Panel>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {isPending && <SkeletonRows count={3} />}
        {data !== undefined && agents.length === 0 && (
          <Empty
            icon={Bot}
            title="No agents yet"
            action={<Button onClick={() => open(true)}>New agent</Button>}
          >
            Add one for each agent that uses skills through this gateway. Without one, a token sees what its
            user sees.
          </Empty>
        )}
        {agents.length > 0 && (
          <Table label="Agents" columns={columns} rows={agents} keyOf={({ uid }) => uid} />
        )}
      </Panel>
      <NewAgent isOpen={search.has("new")} onClose={() => open(false)} />
    </Page>
  );
}

const columns: readonly Column<AgentView>[] = [
  {
    title: "Agent",
    show: ({ key, displayName }) => (
      <Link href={`/agents/${encodeURIComponent(key)}`} className="font-medium hover:underline">
        {displayName}
        {displayName !== key && <span className="ml-2 font-mono text-xs text-muted">{key}</span>}
      </Link>
    ),
  },
  { title: "Runtime", show: ({ runtime }) => <Mono>{runtime}</Mono> },
  {
    title: "Skills",
    show: ({ allow }) =>
      allow === undefined ? "all accessible" : allow.length === 0 ? "none" : count(allow.length, "skill"),
  },
  {
    title: "Pins",
    isMinor: true,
    show: ({ pins }) => Object.keys(pins).length || <span className="text-muted">none</span>,
  },
  { title: "Owner", isMinor: true, show: ({ owner }) => owner },
  { title: "Changed", isMinor: true, show: ({ updatedAt }) => <Ago at={updatedAt} /> },
];
