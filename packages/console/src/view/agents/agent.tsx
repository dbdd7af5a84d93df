import { useQuery } from "@tanstack/react-query";
import { Blocks, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { type ApiError, callTagged, type Tagged } from "../../api/client.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Page } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { Ago, Mono } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { AgentForm } from "./agent-form.tsx";
import { AgentTokens } from "./agent-token.tsx";
import { PendingGrants } from "./pending-grants.tsx";

/** One agent: the skills it sees and the limits on it. */
export function Agent({ agentKey }: { readonly agentKey: string }) {
  const remove = useChange("DELETE /v1/agents/{key}", ["GET /v1/agents", "GET /v1/tokens"]);
  // A deleted agent is not refetched while its view closes.
  const enabled = !remove.isPending && !remove.isSuccess;
  const params = { key: agentKey };
  const { data: agent, error, refetch } = useApi("GET /v1/agents/{key}", { params }, { enabled });
  const edited = useEdited(agentKey);
  if (error !== null)
    return (
      <Page title={agentKey}>
        <Failure error={error} onRetry={() => void refetch()} />
        <p className="px-4 text-sm">
          <Link href="/agents" className="text-accent hover:underline">
            All agents
          </Link>
        </p>
      </Page>
    );
  if (agent === undefined) return <SkeletonRows count={4} />;
  return (
    <Page
      title={agent.displayName}
      about={
        <>
          <Mono>{agent.key}</Mono> of {agent.owner}, changed <Ago at={agent.updatedAt} />
        </>
      }
      actions={
        <>
          <LinkButton href={`/catalogue?agent=${encodeURIComponent(agent.key)}`} icon={Blocks}>
            Preview catalogue
          </LinkButton>
          <Remove agentKey={agent.key} remove={remove} />
        </>
      }
    >
      <PendingGrants agentKey={agent.key} />
      {edited.error !== null && <Failure error={edited.error} onRetry={() => void edited.refetch()} />}
      {edited.data !== undefined && (
        <AgentForm key={edited.data.tag} seen={edited.data} onReload={() => void edited.refetch()} />
      )}
      <AgentTokens agentKey={agent.key} />
    </Page>
  );
}

/** The agent as the form first loaded it; a change by another user does not replace it during editing. */
function useEdited(key: string) {
  return useQuery<Tagged<"GET /v1/agents/{key}">, ApiError>({
    queryKey: ["edit agent", key],
    queryFn: () => callTagged("GET /v1/agents/{key}", { params: { key } }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
}

interface RemoveProps {
  readonly agentKey: string;
  readonly remove: ReturnType<typeof useChange<"DELETE /v1/agents/{key}">>;
}

function Remove({ agentKey, remove }: RemoveProps) {
  const [isAsking, setAsking] = useState(false);
  const [, go] = useLocation();
  const confirm = () =>
    remove.mutate(
      { params: { key: agentKey } },
      {
        onSuccess: () => {
          toast(`${agentKey} removed`);
          go("/agents");
        },
        onError: toastFailure,
        onSettled: () => setAsking(false),
      },
    );
  return (
    <>
      <Button look="danger" icon={Trash2} onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
        isBusy={remove.isPending}
        title={`Remove ${agentKey}`}
        text="This also removes its grants and revokes its tokens. The key cannot be used again."
        action="Remove"
        word={agentKey}
      />
    </>
  );
}
