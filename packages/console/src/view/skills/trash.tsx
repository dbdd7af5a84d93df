import type { SkillRow } from "@skillhold/protocol/http";
import { Trash2, Undo2 } from "lucide-react";
import { Link } from "wouter";
import { useRights } from "../../api/session.tsx";
import { queries, useApi } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/text.tsx";
import { restoreSkill } from "../skill/header/skill-change.ts";

/** Deleted skills, which can be restored until they are purged. */
export function Trash() {
  const { manages } = useRights();
  const query = { view: "deleted", limit: "1000" } as const;
  const { data, error, refetch } = useApi("GET /v1/skills", { query });
  const rows = data?.skills ?? [];
  const restore = async (id: string) => {
    await restoreSkill(id);
    void queries.invalidateQueries({ queryKey: ["GET /v1/skills"] });
  };
  const columns: readonly Column<SkillRow>[] = [
    {
      title: "Skill",
      show: ({ entry }) => (
        <Link href={`/skills/${entry.id}`} className="font-medium hover:underline">
          {entry.id}
        </Link>
      ),
    },
    { title: "Owner", isMinor: true, show: ({ registry }) => registry?.owner },
    {
      title: "Changed",
      show: ({ registry }) => registry !== undefined && <Ago at={registry.updatedAt} />,
    },
    {
      title: "Restore",
      isAction: true,
      show: ({ entry, registry }) =>
        manages(registry) && (
          <Button icon={Undo2} aria-label={`Restore ${entry.id}`} onClick={() => void restore(entry.id)}>
            <span className="max-sm:sr-only">Restore</span>
          </Button>
        ),
    },
  ];
  return (
    <Page title="Trash" about="Deleted skills. They cannot be used until they are restored.">
      <Panel>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {error === null && data === undefined && <SkeletonRows count={3} />}
        {data !== undefined && rows.length === 0 && (
          <Empty icon={Trash2} title="No deleted skills">
            A deleted skill stays here with all its revisions until it is purged.
          </Empty>
        )}
        {rows.length > 0 && (
          <Table label="Deleted skills" columns={columns} rows={rows} keyOf={({ entry }) => entry.id} />
        )}
      </Panel>
    </Page>
  );
}
