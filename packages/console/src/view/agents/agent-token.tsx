import { Plug } from "lucide-react";
import { Link } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { Panel } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { tokenColumns } from "../tokens/token-column.tsx";

/** The tokens of the agent. */
export function AgentTokens({ agentKey }: { readonly agentKey: string }) {
  const { data, error, refetch } = useApi("GET /v1/tokens");
  const tokens = data?.tokens.filter(({ agent }) => agent === agentKey);
  return (
    <Panel
      title="Tokens"
      actions={
        <Link
          href={`/connect?agent=${encodeURIComponent(agentKey)}`}
          className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-sm font-medium text-accent hover:bg-raised"
        >
          <Plug className="size-3.5" aria-hidden /> Connect
        </Link>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && tokens === undefined && <SkeletonRows count={1} />}
      {tokens?.length === 0 && (
        <p className="px-4 py-3 text-sm text-muted">No tokens yet, so no program can act as this agent.</p>
      )}
      {tokens !== undefined && tokens.length > 0 && (
        <Table label="Tokens of this agent" columns={tokenColumns} rows={tokens} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}
