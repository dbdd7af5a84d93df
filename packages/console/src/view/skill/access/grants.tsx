import { Pencil, Plus, UserPlus, X } from "lucide-react";
import { useState } from "react";
import { call } from "../../../api/client.ts";
import { queries, useApi } from "../../../api/use-api.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { refreshSkill } from "../../../ui/switch-skill.ts";
import { type Column, Table } from "../../../ui/table.tsx";
import { Ago } from "../../../ui/text.tsx";
import { toast, toastFailure } from "../../../ui/toast.tsx";
import type { SkillProps } from "../skill-view.ts";
import { againOf, type Grant, type GrantBody, type GrantText, noGrant, textOf } from "./grant.ts";
import { GrantDialog } from "./grant-dialog.tsx";

/** Whom a skill was granted to. */
export function Grants({ skill }: SkillProps) {
  const { id } = skill.entry;
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/grants", { params: { id } });
  const [edited, setEdited] = useState<{ readonly text: GrantText; readonly isNew: boolean }>();
  const add = () => setEdited({ text: noGrant, isNew: true });
  const columns = columnsFor({
    onEdit: (grant) => setEdited({ text: textOf(grant), isNew: false }),
    onRemove: (grant) => void revoke(id, grant),
  });
  return (
    <Panel
      title="Grants"
      actions={
        <Button icon={Plus} onClick={add}>
          Grant
        </Button>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={2} />}
      {data?.grants.length === 0 && (
        <Empty icon={UserPlus} title="No grants yet" action={<Button onClick={add}>Grant access</Button>}>
          A grant lets an agent or a user use or manage the skill, and can pin them to a revision.
        </Empty>
      )}
      {data !== undefined && data.grants.length > 0 && (
        <Table
          label="All grants"
          columns={columns}
          rows={data.grants}
          keyOf={({ grantee }) => `${grantee.kind} ${grantee.key}`}
        />
      )}
      <GrantDialog id={id} edited={edited} onClose={() => setEdited(undefined)} />
    </Panel>
  );
}

interface GrantActions {
  readonly onEdit: (grant: Grant) => void;
  readonly onRemove: (grant: Grant) => void;
}

function columnsFor({ onEdit, onRemove }: GrantActions): readonly Column<Grant>[] {
  return [
    {
      title: "To",
      show: ({ grantee }) => (
        <span className="flex items-center gap-2">
          <Badge>{grantee.kind}</Badge>
          <span className="max-w-28 truncate font-medium sm:max-w-72" title={grantee.key}>
            {grantee.key}
          </span>
        </span>
      ),
    },
    {
      title: "Can",
      show: ({ canManage, pin }) => (
        <span className="flex flex-wrap items-center gap-1.5">
          {canManage ? <Badge tone="accent">manage</Badge> : "use"}
          {pin !== undefined && <Badge title="Pinned to this revision">r{pin}</Badge>}
        </span>
      ),
    },
    { title: "By", isMinor: true, show: ({ grantedBy }) => grantedBy },
    { title: "Since", isMinor: true, show: ({ at }) => <Ago at={at} /> },
    {
      title: "Do",
      isAction: true,
      show: (grant) => (
        <span className="inline-flex">
          <IconButton
            icon={Pencil}
            label={`Edit grant for ${grant.grantee.key}`}
            onClick={() => onEdit(grant)}
          />
          <IconButton
            icon={X}
            label={`Revoke grant from ${grant.grantee.key}`}
            onClick={() => onRemove(grant)}
          />
        </span>
      ),
    },
  ];
}

const route = "/v1/skills/{id}/grants/{kind}/{key}";

async function revoke(id: string, grant: Grant): Promise<void> {
  const params = { id, ...grant.grantee };
  try {
    await call(`DELETE ${route}`, { params });
    toast(`Grant revoked from ${grant.grantee.key}`, {
      undo: () => void giveBack(params, againOf(grant)),
    });
  } catch (error) {
    toastFailure(error);
  }
  await refresh();
}

async function giveBack(params: { readonly id: string } & Grant["grantee"], body: GrantBody): Promise<void> {
  try {
    await call(`PUT ${route}`, { params, body });
    toast(`Grant restored for ${params.key}`);
  } catch (error) {
    toastFailure(error);
  }
  await refresh();
}

async function refresh(): Promise<void> {
  await Promise.all([
    refreshSkill(),
    queries.invalidateQueries({ queryKey: ["GET /v1/skills/{id}/grants"] }),
  ]);
}
