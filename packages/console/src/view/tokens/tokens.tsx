import { Ban, KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useIsAdmin } from "../../api/session.tsx";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { NewToken } from "./new-token.tsx";
import { type Token, tokenColumns } from "./token-column.tsx";
import { isAlive, livingFirst } from "./token-expiry.ts";

/** The tokens that programs and agents sign in with. */
export function Tokens() {
  const [search, setSearch] = useSearchParams();
  const isAdmin = useIsAdmin();
  const [revoking, setRevoking] = useState<Token>();
  const { data, error, isPending, refetch } = useApi("GET /v1/tokens");
  const revoke = useChange("DELETE /v1/tokens/{token}", ["GET /v1/tokens"]);
  const tokens = livingFirst(data?.tokens ?? [], Date.now());
  const open = (isOpen: boolean) => setSearch(isOpen ? { new: "" } : {}, { replace: true });
  const confirm = (token: Token) =>
    revoke.mutate(
      { params: { token: token.id } },
      { onSuccess: () => toast(`${token.name} revoked`), onError: toastFailure },
    );
  return (
    <Page
      title="Tokens"
      about={
        isAdmin
          ? "Tokens of programs, agents and signed-in browsers. The role sets what they can do."
          : "Your tokens, those of your agents, and the browsers that you are signed in with."
      }
      actions={
        <Button look="primary" icon={Plus} onClick={() => open(true)}>
          New token
        </Button>
      }
    >
      <Panel>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {isPending && <SkeletonRows count={3} />}
        {data !== undefined && tokens.length === 0 && (
          <Empty
            icon={KeyRound}
            title="No tokens yet"
            action={<Button onClick={() => open(true)}>New token</Button>}
          >
            Create one per program, so each can be revoked on its own.
          </Empty>
        )}
        {tokens.length > 0 && (
          <Table label="Tokens" columns={columnsWith(setRevoking)} rows={tokens} keyOf={({ id }) => id} />
        )}
      </Panel>
      <NewToken isOpen={search.has("new")} agent={search.get("agent") ?? ""} onClose={() => open(false)} />
      <Confirm
        isOpen={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        onConfirm={() => {
          if (revoking !== undefined) confirm(revoking);
          setRevoking(undefined);
        }}
        title={`Revoke ${revoking?.name ?? ""}`}
        text="Programs and people that use it lose access at once. This cannot be undone."
        action="Revoke"
      />
    </Page>
  );
}

function columnsWith(onRevoke: (token: Token) => void): readonly Column<Token>[] {
  const revoke: Column<Token> = {
    title: "Revoke",
    isAction: true,
    show: (token) =>
      isAlive(token, Date.now()) && (
        <Button look="danger" icon={Ban} onClick={() => onRevoke(token)} aria-label={`Revoke ${token.name}`}>
          <span className="max-sm:sr-only">Revoke</span>
        </Button>
      ),
  };
  return [...tokenColumns, revoke];
}
