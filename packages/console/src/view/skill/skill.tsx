import { FileQuestion, LayoutList, Power } from "lucide-react";
import { type ComponentType, Suspense } from "react";
import { Link } from "wouter";
import type { ApiError } from "../../api/client.ts";
import { useIsAdmin } from "../../api/session.tsx";
import { useApi } from "../../api/use-api.ts";
import { part } from "../../renewal.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Failure, Skeleton, SkeletonRows } from "../../ui/state.tsx";
import { switchSkill } from "../../ui/switch-skill.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { useTitle } from "../../ui/title.ts";
import { SkillHeader } from "./header/skill-header.tsx";
import { hrefOf, type SkillTab, tabOf, tabsFor, titleOf } from "./skill-tab.ts";
import type { SkillProps } from "./skill-view.ts";

const parts: Readonly<Record<SkillTab, ComponentType<SkillProps>>> = {
  overview: part(async () => (await import("./overview/overview.tsx")).Overview),
  files: part(async () => (await import("./files/files.tsx")).Files),
  versions: part(async () => (await import("./versions/versions.tsx")).Versions),
  access: part(async () => (await import("./access/access.tsx")).Access),
  dependencies: part(async () => (await import("./dependencies/needs.tsx")).Needs),
  security: part(async () => (await import("./security/security.tsx")).Security),
  evals: part(async () => (await import("./evals/evals.tsx")).Evals),
  proposals: part(async () => (await import("./skill-proposals.tsx")).SkillProposals),
  activity: part(async () => (await import("./activity/skill-activity.tsx")).SkillActivity),
  validation: part(async () => (await import("./validation/validation.tsx")).Validation),
};

/** One skill: its content, its access and its activity. */
export function Skill({ id, rest }: { readonly id: string; readonly rest: string }) {
  const { data: skill, error, refetch } = useApi("GET /v1/skills/{id}", { params: { id } });
  const tab = tabOf(rest);
  useTitle(`${id}${tab === undefined || tab === "overview" ? "" : ` ${titleOf(tab).toLowerCase()}`}`);
  if (error !== null && (skill === undefined || isGone(error)))
    return <SkillFailure id={id} error={error} onRetry={() => void refetch()} />;
  if (skill === undefined) return <SkillSkeleton />;
  const tabs = tabsFor(skill);
  const Part = tab !== undefined && tabs.includes(tab) ? parts[tab] : undefined;
  return (
    <div className="mx-auto w-full max-w-6xl pb-24">
      <SkillHeader skill={skill} />
      <Tabs
        label="Parts of the skill"
        current={tab === undefined ? "" : titleOf(tab)}
        tabs={tabs.map((each) => ({ name: titleOf(each), href: hrefOf(id, each) }))}
      />
      <div className="pt-4">
        <Suspense fallback={<SkeletonRows count={4} />}>
          {Part === undefined ? <NoPart id={id} /> : <Part skill={skill} />}
        </Suspense>
      </div>
    </div>
  );
}

/** Whether the skill was deleted or is hidden from the user; cached data is then not shown. */
function isGone({ code }: ApiError): boolean {
  return code === "SKILL_NOT_FOUND" || code === "NOT_READY";
}

function NoPart({ id }: { readonly id: string }) {
  return (
    <Empty
      icon={FileQuestion}
      title="Nothing at this address"
      action={
        <Link href={`/skills/${id}`} className="text-sm text-accent-strong underline">
          Go to overview
        </Link>
      }
    />
  );
}

interface SkillFailureProps {
  readonly id: string;
  readonly error: ApiError;
  readonly onRetry: () => void;
}

/** A skill of a folder that was switched off cannot be read, and can still be switched on. */
function SkillFailure({ id, error, onRetry }: SkillFailureProps) {
  const isAdmin = useIsAdmin();
  if (error.code === "SKILL_NOT_FOUND")
    return (
      <Page title={id}>
        <Empty
          icon={FileQuestion}
          title="Skill not found"
          action={
            <LinkButton href="/skills" icon={LayoutList}>
              All skills
            </LinkButton>
          }
        >
          Check the name. The skill may have been removed, or you may not have access to it.
        </Empty>
      </Page>
    );
  return (
    <div className="mx-auto w-full max-w-6xl pt-2">
      <h1 className="px-4 pt-4 text-xl font-semibold tracking-tight break-words">{id}</h1>
      <Failure error={error} onRetry={onRetry} />
      <div className="flex items-center gap-3 px-4">
        <Link href="/skills" className="text-sm text-accent-strong underline">
          All skills
        </Link>
        {isAdmin && error.code === "NOT_READY" && (
          <Button icon={Power} onClick={() => void switchSkill(id, true)}>
            Enable
          </Button>
        )}
      </div>
    </div>
  );
}

function SkillSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="mx-auto w-full max-w-6xl space-y-4 px-4 pt-6">
      <div className="flex gap-3">
        <Skeleton className="size-11 rounded-lg" />
        <div className="flex-1 space-y-2">
          <Skeleton className="h-5 w-48" />
          <Skeleton className="h-3 w-2/3" />
        </div>
      </div>
      <Skeleton className="h-8 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
