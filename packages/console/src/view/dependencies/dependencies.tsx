import { Download, PackageCheck, RotateCw } from "lucide-react";
import { useCanPublish, useIsAdmin } from "../../api/session.tsx";
import { useChange } from "../../api/use-api.ts";
import { useSkills } from "../../api/use-skills.ts";
import { Button } from "../../ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { lackingRows, lacksOf } from "./lack.ts";
import { LackPanel } from "./lack-panel.tsx";
import { LogPanel } from "./log-panel.tsx";
import { ResultPanel } from "./result-panel.tsx";
import { RuntimePanel } from "./runtime-panel.tsx";
import { SkillPanel } from "./skill-panel.tsx";
import { useInstalls } from "./use-installs.ts";

/** The dependencies of skills on the gateway's machine, the missing ones, and the buttons to install them. */
export function Dependencies() {
  const isAdmin = useIsAdmin();
  const canPublish = useCanPublish();
  const { data: rows = [], error, isPending, refetch } = useSkills();
  const installs = useInstalls();
  const lacks = lacksOf(rows);
  const lacking = lackingRows(rows);
  return (
    <Page
      title="Dependencies"
      about={`What skills need on the gateway's machine.${isAdmin ? " Installs are logged as approved by you." : ""}`}
      actions={
        <>
          {canPublish && <Rescan />}
          {isAdmin && lacks.length > 0 && (
            <Button look="primary" icon={Download} isBusy={installs.isBusy} onClick={() => installs.all()}>
              Install all ({lacks.length})
            </Button>
          )}
        </>
      }
    >
      <RuntimePanel />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows count={3} />}
      {!isPending && error === null && lacking.length === 0 && (
        <Panel>
          <Empty icon={PackageCheck} title="Nothing missing">
            Every skill you can see has its dependencies installed.
          </Empty>
        </Panel>
      )}
      <ResultPanel results={installs.results} />
      <LackPanel lacks={lacks} installs={installs} isAdmin={isAdmin} />
      {lacking.length > 0 && <SkillPanel rows={lacking} installs={installs} isAdmin={isAdmin} />}
      {!isAdmin && lacks.length > 0 && (
        <p className="mx-4 mb-4 text-sm text-muted">An administrator can install what is missing.</p>
      )}
      {canPublish && <LogPanel />}
    </Page>
  );
}

function Rescan() {
  const rescan = useChange("POST /v1/skills/rescan-deps", [
    "GET /v1/skills",
    "GET /v1/skills/runtimes",
    "GET /v1/skills/{id}/dependencies",
  ]);
  const look = () =>
    rescan.mutate(
      {},
      {
        onSuccess: ({ skills }) => {
          const lacking = skills.filter(({ ok }) => !ok).length;
          const broken = skills.filter((each) => each.error !== undefined).length;
          toast(`Scanned ${count(skills.length, "skill")}: ${lacking} with missing dependencies`, {
            tone: lacking === 0 ? "good" : "info",
            ...(broken > 0 ? { detail: `${count(broken, "skill")} could not be scanned.` } : {}),
          });
        },
        onError: toastFailure,
      },
    );
  return (
    <Button icon={RotateCw} isBusy={rescan.isPending} onClick={look}>
      Rescan
    </Button>
  );
}
