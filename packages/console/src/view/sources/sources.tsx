import { Download, RefreshCw, Waypoints } from "lucide-react";
import { Link } from "wouter";
import type { Answer } from "../../api/client.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago, Mono } from "../../ui/text.tsx";
import { toastFailure } from "../../ui/toast.tsx";
import { useStep } from "../install/use-step.ts";
import { sourceSummary } from "./source-summary.ts";

type Installed = Answer<"GET /v1/installed">["skills"][number];

/** Where installed skills come from, and which of them have a newer version there. */
export function Sources() {
  const { data, error, refetch } = useApi("GET /v1/installed");
  const check = useChange("POST /v1/installed/check", ["GET /v1/installed"]);
  const step = useStep();
  const skills = data?.skills ?? [];
  return (
    <Page
      title="Sources"
      about="Skills that were installed from a repository, a website or a registry, and what their sources have now."
      actions={
        <>
          <LinkButton href="/install" icon={Download}>
            Install
          </LinkButton>
          <Button
            look="primary"
            icon={RefreshCw}
            isBusy={check.isPending}
            disabled={skills.length === 0}
            onClick={() => check.mutate({ body: { progress: step.request } }, { onError: toastFailure })}
          >
            Check for updates
          </Button>
        </>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <SkeletonRows count={3} />}
      {data !== undefined && skills.length === 0 && (
        <Panel>
          <Empty
            icon={Waypoints}
            title="No installed skills"
            action={
              <LinkButton href="/install" icon={Download}>
                Install a skill
              </LinkButton>
            }
          >
            Skills that you install from a source appear here.
          </Empty>
        </Panel>
      )}
      {skills.length > 0 && (
        <Panel title={sourceSummary(skills)}>
          <p role="status" className="px-4 py-2 text-sm text-muted">
            {check.isPending ? step.text : <Checked at={data?.checkedAt} />}
          </p>
          <Table label="Installed skills" columns={columns} rows={skills} keyOf={({ id }) => id} />
        </Panel>
      )}
    </Page>
  );
}

function Checked({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return "Not checked for updates yet.";
  return (
    <>
      Checked <Ago at={at} />
    </>
  );
}

const tones: Readonly<Record<NonNullable<Installed["check"]>["status"], Tone>> = {
  current: "good",
  outdated: "accent",
  waiting: "warn",
  pinned: "neutral",
  conflict: "bad",
  failed: "bad",
};

const columns: readonly Column<Installed>[] = [
  {
    title: "Skill",
    show: ({ id }) => (
      <Link href={`/skills/${id}`} className="font-medium text-accent-strong underline underline-offset-2">
        {id}
      </Link>
    ),
  },
  { title: "Status", show: (skill) => <Status skill={skill} /> },
  { title: "Installed", show: ({ installed }) => <Mono>{installed}</Mono> },
  { title: "Latest", show: ({ check }) => <Mono>{check?.latest ?? ""}</Mono> },
  { title: "Source", isMinor: true, show: ({ source }) => <Mono className="break-all">{source}</Mono> },
  { title: "Update", isAction: true, show: (skill) => <Update skill={skill} /> },
];

function Status({ skill: { check, isEdited } }: { readonly skill: Installed }) {
  return (
    <span className="flex flex-wrap gap-1">
      {check === undefined ? (
        <Badge>not checked</Badge>
      ) : (
        <Badge tone={tones[check.status]} title={check.error?.message}>
          {check.status}
          {check.until !== undefined && ` until ${check.until.slice(0, 10)}`}
        </Badge>
      )}
      {isEdited && <Badge tone="info">edited</Badge>}
    </span>
  );
}

function Update({ skill: { id, source, path, check } }: { readonly skill: Installed }) {
  if (check?.status !== "outdated" && check?.status !== "waiting" && check?.status !== "conflict")
    return null;
  const query = new URLSearchParams({ source, id, ...(path === undefined ? {} : { skill: path }) });
  return (
    <LinkButton href={`/install?${query}`} icon={Download}>
      Look at update
    </LinkButton>
  );
}
