import { Undo2 } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { useRights } from "../../../api/session.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Switch } from "../../../ui/field.tsx";
import { SkillBadges, TrustBadge } from "../../../ui/skill-badge.tsx";
import { switchSkill } from "../../../ui/switch-skill.ts";
import type { SkillProps } from "../skill-view.ts";
import { InstallCommands } from "./install-command.tsx";
import { restoreSkill } from "./skill-change.ts";
import { SkillFacts } from "./skill-fact.tsx";
import { SkillMenu } from "./skill-menu.tsx";

/** Which skill it is, at a glance. */
export function SkillHeader({ skill }: SkillProps) {
  const { entry } = skill;
  // On phones the tabs come right after the name.
  const [isOpen, setOpen] = useState(false);
  return (
    <header className="space-y-3 px-4 pt-6 pb-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-3">
          <span
            aria-hidden
            className="flex size-11 shrink-0 items-center justify-center rounded-lg border border-line bg-raised text-xl font-medium text-muted"
          >
            {entry.emoji ?? entry.id.charAt(0).toUpperCase()}
          </span>
          <div className="min-w-0 space-y-1">
            <h1 className="text-xl leading-tight font-semibold tracking-tight break-words">
              {entry.id}
              {entry.name !== entry.id && (
                <span className="ml-2 text-base font-normal text-muted">{entry.name}</span>
              )}
            </h1>
            <Badges skill={skill} />
          </div>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {skill.registry?.status === "deleted" ? (
            <RestoreButton skill={skill} />
          ) : (
            <>
              <OnOff skill={skill} />
              <InstallCommands skill={skill} />
              <SkillMenu skill={skill} />
            </>
          )}
        </div>
      </div>
      <Button
        look="quiet"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-ml-3 sm:hidden"
      >
        {isOpen ? "Hide details" : "Show details"}
      </Button>
      <div className={classNames("space-y-3", !isOpen && "max-sm:hidden")}>
        <p className="max-w-3xl text-sm break-words text-ink">{entry.description}</p>
        <Tags tags={entry.tags} />
        <SkillFacts skill={skill} />
      </div>
    </header>
  );
}

function Badges({ skill }: SkillProps) {
  const { entry, registry } = skill;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <TrustBadge trust={entry.trust} />
      <SkillBadges row={skill} />
      {registry?.status === "deleted" && (
        <Badge tone="bad" title="It cannot be used until it is restored">
          deleted
        </Badge>
      )}
      {entry.readiness.state === "ready" && (registry?.missing.length ?? 0) === 0 && (
        <Badge tone="good" title="Everything it needs is there">
          ready
        </Badge>
      )}
      {registry?.visibility === "public" && <Badge title="Everyone can use it">public</Badge>}
      {registry === undefined && (
        <Badge title={`Read from a folder (${entry.source}); it has no revisions`}>folder</Badge>
      )}
    </div>
  );
}

function RestoreButton({ skill: { entry, registry } }: SkillProps) {
  if (!useRights().manages(registry)) return null;
  return (
    <Button look="primary" icon={Undo2} onClick={() => void restoreSkill(entry.id)}>
      Restore
    </Button>
  );
}

function OnOff({ skill: { entry, registry, access } }: SkillProps) {
  const canSwitch = useRights().switches(registry);
  const isOn = registry?.enabled ?? access.reason !== "disabled";
  // That it is off is on its badge as well.
  if (!canSwitch) return null;
  return (
    <span className="flex h-8 items-center gap-2 pr-1 text-sm text-muted">
      {isOn ? "On" : "Off"}
      <Switch
        isOn={isOn}
        label={`${entry.id} is enabled`}
        onChange={(enabled) => void switchSkill(entry.id, enabled)}
      />
    </span>
  );
}

function Tags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-1.5">
      {tags.map((tag) => (
        <li key={tag} className="max-w-full">
          <Link
            href={`/skills?tag=${encodeURIComponent(tag)}`}
            className="inline-block max-w-full truncate rounded border border-line px-1.5 text-xs text-muted hover:border-line-strong hover:text-ink"
          >
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  );
}
