import { useState } from "react";
import { Link } from "wouter";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago, CopyText, Mono } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { type Approval, actOf, exactText } from "./question.ts";

/** Approvals that are bound to a content hash and still valid. */
export function Kept({ approvals }: { readonly approvals: readonly Approval[] }) {
  const [busy, setBusy] = useState<string>();
  const revoke = useChange("DELETE /v1/approvals/kept/{approval}", ["GET /v1/approvals"]);
  const takeBack = ({ id, skill, target }: Approval) => {
    setBusy(id);
    revoke.mutate(
      { params: { approval: id } },
      {
        onSuccess: () => toast(`Approval of ${target} of ${skill} revoked`),
        onError: toastFailure,
        onSettled: () => setBusy(undefined),
      },
    );
  };
  const columns: readonly Column<Approval>[] = [
    {
      title: "What",
      show: (approval) => (
        <span>
          <Link href={`/skills/${approval.skill}`} className="font-medium hover:underline">
            {approval.skill}
          </Link>{" "}
          can {actOf(approval)} <Mono className="break-all">{exactText(approval.target)}</Mono>
        </span>
      ),
    },
    {
      title: "Content",
      isMinor: true,
      show: ({ treeHash }) => <CopyText text={treeHash} label="content hash" isShort />,
    },
    {
      title: "For",
      show: ({ requester: { agent, user }, widen }) =>
        widen.includes("everyone")
          ? "everyone"
          : [agent, user].filter((name) => name !== undefined).join(" of "),
    },
    { title: "By", isMinor: true, show: ({ by }) => by },
    { title: "Expires", show: ({ expiresAt }) => <Ago at={expiresAt} /> },
    {
      title: "Actions",
      show: (approval) =>
        approval.mayRevoke && (
          <Button
            look="danger"
            isBusy={busy === approval.id}
            aria-label={`Revoke the approval of ${approval.target}`}
            onClick={() => takeBack(approval)}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <Panel title="Active approvals">
      <Table label="Approvals" columns={columns} rows={approvals} keyOf={({ id }) => id} />
    </Panel>
  );
}
