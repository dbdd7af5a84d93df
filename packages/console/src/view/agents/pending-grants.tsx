import { Check, X } from "lucide-react";
import { type Answer, call } from "../../api/client.ts";
import { queries, useApi } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";

type Pending = Answer<"GET /v1/grants/pending">["grants"][number];

/** Skills that others want to grant to an agent, or to any agent. Shows nothing without one. */
export function PendingGrants({ agentKey }: { readonly agentKey?: string }) {
  const query = agentKey === undefined ? {} : { agent: agentKey };
  const { data, error, refetch } = useApi("GET /v1/grants/pending", { query });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.grants.length === 0) return null;
  return (
    <Panel title="Waiting for consent">
      <Table
        label="Pending grants"
        columns={columns}
        rows={data.grants}
        keyOf={({ id, agent }) => `${id} ${agent}`}
      />
    </Panel>
  );
}

const columns: readonly Column<Pending>[] = [
  { title: "Skill", show: ({ id }) => <span className="font-medium">{id}</span> },
  { title: "For agent", show: ({ agent }) => agent },
  {
    title: "Can",
    show: ({ canManage, pin }) => (
      <span className="flex flex-wrap items-center gap-1.5">
        {canManage ? <Badge tone="accent">manage</Badge> : "use"}
        {pin !== undefined && <Badge title="Pinned to this revision">r{pin}</Badge>}
      </span>
    ),
  },
  { title: "By", isMinor: true, show: ({ requestedBy }) => requestedBy },
  { title: "Since", isMinor: true, show: ({ at }) => <Ago at={at} /> },
  {
    title: "Do",
    isAction: true,
    show: (grant) =>
      grant.mayAnswer ? (
        <span className="inline-flex">
          <IconButton
            icon={Check}
            label={`Accept ${grant.id} for ${grant.agent}`}
            onClick={() => void answer(grant, true)}
          />
          <IconButton
            icon={X}
            label={`Decline ${grant.id} for ${grant.agent}`}
            onClick={() => void answer(grant, false)}
          />
        </span>
      ) : (
        `waits for ${grant.owner}`
      ),
  },
];

async function answer({ id, agent }: Pending, accept: boolean): Promise<void> {
  try {
    await call("POST /v1/grants/pending/{id}/{key}", { params: { id, key: agent }, body: { accept } });
    toast(`${id} ${accept ? "granted to" : "declined for"} ${agent}`);
  } catch (error) {
    toastFailure(error);
  }
  await queries.invalidateQueries({ queryKey: ["GET /v1/grants/pending"] });
}
