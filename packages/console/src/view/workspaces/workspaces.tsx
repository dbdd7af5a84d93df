import { Network } from "lucide-react";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { AddSkillDialog } from "./add-skill.tsx";
import { SkillPalette } from "./skill-palette.tsx";
import { WorkspaceCard } from "./workspace-card.tsx";
import { WorkspaceDetail } from "./workspace-detail.tsx";
import { toTrees, type WorkspaceBranch } from "./workspace-tree.ts";

/** The tree of workspaces, and the skills that can be dropped on them. */
export function Workspaces() {
  const { data, error, refetch } = useApi("GET /v1/workspaces");
  const [shown, setShown] = useState<string>();
  const [target, setTarget] = useState<string>();
  const drop = useDrop();
  const all = data?.workspaces ?? [];
  const detail = all.find(({ id }) => id === shown);
  const act = { onShow: setShown, onAdd: setTarget, onDrop: drop };
  return (
    <Page title="Workspaces" about="Agents with their own folders. Drop a skill on a workspace to add it.">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={3} />}
      {data !== undefined && all.length === 0 && (
        <Empty icon={Network} title="No workspaces">
          An agent becomes a workspace when its program registers, or with PUT /v1/workspaces/{"{key}"}.
        </Empty>
      )}
      {all.length > 0 && (
        <div className="grid lg:grid-cols-[minmax(0,1fr)_20rem]">
          <Panel title="Tree">
            <Branches branches={toTrees(all)} depth={0} {...act} />
          </Panel>
          <SkillPalette />
        </div>
      )}
      {target !== undefined && (
        <AddSkillDialog workspace={target} onAdd={drop} onClose={() => setTarget(undefined)} />
      )}
      {detail !== undefined && (
        <WorkspaceDetail key={detail.id} workspace={detail} onClose={() => setShown(undefined)} />
      )}
    </Page>
  );
}

const dropWords = {
  copied: "added to",
  granted: "granted to",
  pending: "waits for the consent of the owner of",
};

/** Copies a skill into a workspace, or grants it to one without a folder on the gateway. */
function useDrop(): (workspace: string, skill: string) => void {
  const add = useChange("POST /v1/workspaces/{workspace}/skills", ["GET /v1/workspaces"]);
  return (workspace, skill) =>
    add.mutate(
      { params: { workspace }, body: { skill } },
      {
        onSuccess: ({ drop }) => toast(`${skill} ${dropWords[drop]} ${workspace}`),
        onError: toastFailure,
      },
    );
}

interface BranchesProps {
  readonly branches: readonly WorkspaceBranch[];
  readonly depth: number;
  readonly onShow: (id: string) => void;
  readonly onAdd: (id: string) => void;
  readonly onDrop: (workspace: string, skill: string) => void;
}

function Branches({ branches, depth, ...act }: BranchesProps) {
  return (
    <ul className={depth === 0 ? "space-y-3 p-4" : "mt-3 ml-3 space-y-3 border-l border-line pl-3"}>
      {branches.map(({ workspace, children }) => (
        <li key={workspace.id}>
          <WorkspaceCard workspace={workspace} isNested={depth > 0} {...act} />
          {children.length > 0 && <Branches branches={children} depth={depth + 1} {...act} />}
        </li>
      ))}
    </ul>
  );
}
