import { Download, PackageCheck, RotateCw } from "lucide-react";
import { useCanPublish, useIsAdmin } from "../../../api/session.tsx";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Button } from "../../../ui/button.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { toast, toastFailure } from "../../../ui/toast.tsx";
import type { SkillProps } from "../skill-view.ts";
import { orderNeeds } from "./need.ts";
import { NeedRow } from "./need-row.tsx";
import { Secrets } from "./secrets.tsx";
import { useInstall } from "./use-install.ts";

/** The dependencies of a skill on this machine, their status, and the buttons to install the missing ones. */
export function Needs({ skill }: SkillProps) {
  const { id } = skill.entry;
  const isAdmin = useIsAdmin();
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/dependencies", { params: { id } });
  const install = useInstall(id);
  const needs = orderNeeds(data?.needs ?? []);
  // The list already shows the missing dependencies.
  const warnings = data?.state.warnings.filter((warning) => !warning.startsWith("Missing: ")) ?? [];
  const toGet = needs.filter((need) => need.install !== undefined);
  return (
    <>
      <Secrets skill={skill} />
      <Panel
        title="Dependencies"
        actions={
          <>
            <Rescan />
            {isAdmin && toGet.length > 0 && (
              <Button look="primary" icon={Download} isBusy={install.isBusy} onClick={install.all}>
                Install missing
              </Button>
            )}
          </>
        }
      >
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {error === null && data === undefined && <SkeletonRows count={3} />}
        {data !== undefined && needs.length === 0 && (
          <Empty icon={PackageCheck} title="No dependencies">
            Its scripts, manifests and frontmatter name no package, program or runtime.
          </Empty>
        )}
        <ul className="divide-y divide-line">
          {needs.map((need) => (
            <NeedRow
              key={`${need.kind} ${need.name}`}
              id={id}
              need={need}
              state={need.install === undefined ? undefined : install.states.get(need.install)}
              isBusy={install.isBusy}
              onInstall={isAdmin ? install.one : undefined}
            />
          ))}
        </ul>
        {warnings.map((warning) => (
          <p key={warning} className="border-t border-line bg-warn-soft px-4 py-2 text-sm text-warn">
            {warning}
          </p>
        ))}
        {!isAdmin && toGet.length > 0 && (
          <p className="border-t border-line px-4 py-2 text-sm text-muted">
            An administrator can install what is missing.
          </p>
        )}
      </Panel>
    </>
  );
}

function Rescan() {
  const canScan = useCanPublish();
  const rescan = useChange("POST /v1/skills/rescan-deps", [
    "GET /v1/skills/{id}/dependencies",
    "GET /v1/skills/{id}",
    "GET /v1/skills",
  ]);
  if (!canScan) return null;
  const look = () =>
    rescan.mutate({}, { onSuccess: () => toast("Dependencies rescanned"), onError: toastFailure });
  return (
    <Button icon={RotateCw} isBusy={rescan.isPending} onClick={look}>
      Rescan
    </Button>
  );
}
