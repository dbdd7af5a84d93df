import { useQueries } from "@tanstack/react-query";
import { Bot } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { type Answer, call } from "../../../api/client.ts";
import { useCanPublish, useIsAdmin } from "../../../api/session.tsx";
import { useApi } from "../../../api/use-api.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import type { SkillProps } from "../skill-view.ts";

/** Each agent needs its own request, so they load in steps of this size. */
const STEP = 20;

/** Every agent, and whether it sees the skill. */
export function AgentAccess({ skill }: SkillProps) {
  const canList = useCanPublish();
  const { data, error, refetch } = useApi("GET /v1/agents", undefined, { enabled: canList });
  if (!canList) return null;
  return (
    <Panel title="Agents">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={2} />}
      {data?.agents.length === 0 && (
        <Empty icon={Bot} title="No agents yet">
          Add one under Agents to see whether it gets this skill.
        </Empty>
      )}
      {data !== undefined && data.agents.length > 0 && <AgentRows id={skill.entry.id} agents={data.agents} />}
    </Panel>
  );
}

type Agent = Answer<"GET /v1/agents">["agents"][number];

interface Row {
  readonly agent: Agent;
  readonly access: Answer<"GET /v1/skills/{id}/access"> | undefined;
  readonly error: Error | null;
}

function AgentRows({ id, agents }: { readonly id: string; readonly agents: readonly Agent[] }) {
  const isAdmin = useIsAdmin();
  const [shown, setShown] = useState(STEP);
  const asked = agents.slice(0, shown);
  const answers = useQueries({
    queries: asked.map(({ key, runtime, owner }) => {
      // An agent sees at most what its owner sees; only administrators see agents of other users.
      const query = { agent: key, runtime, ...(isAdmin ? { user: owner } : {}) };
      const input = { params: { id }, query };
      return {
        queryKey: ["GET /v1/skills/{id}/access", input],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
          call("GET /v1/skills/{id}/access", { ...input, signal }),
      };
    }),
  });
  const rows = asked.map((agent, at): Row => {
    const answer = answers[at];
    return { agent, access: answer?.data, error: answer?.error ?? null };
  });
  return (
    <>
      <Table label="Every agent" columns={columns} rows={rows} keyOf={({ agent }) => agent.uid} />
      {agents.length > shown && (
        <div className="border-t border-line px-4 py-2">
          <Button look="quiet" onClick={() => setShown(shown + STEP)}>
            Show {Math.min(STEP, agents.length - shown)} more of {agents.length}
          </Button>
        </div>
      )}
    </>
  );
}

const columns: readonly Column<Row>[] = [
  {
    title: "Agent",
    show: ({ agent }) => (
      <Link href={`/agents/${encodeURIComponent(agent.key)}`} className="font-medium hover:underline">
        {agent.displayName}
      </Link>
    ),
  },
  {
    title: "Sees",
    show: ({ access }) =>
      access === undefined ? (
        ""
      ) : (
        <Badge tone={access.isVisible ? "good" : "neutral"}>
          {access.isVisible ? `r${access.revision}` : "no"}
        </Badge>
      ),
  },
  {
    title: "Why",
    show: ({ access, error }) => (
      <span className="block min-w-40 text-muted">{access?.message ?? error?.message ?? "…"}</span>
    ),
  },
];
