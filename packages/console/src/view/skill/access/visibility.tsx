import { Globe, Lock, Users } from "lucide-react";
import { useState } from "react";
import { call } from "../../../api/client.ts";
import { useRights } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { Panel } from "../../../ui/page.tsx";
import { refreshSkill } from "../../../ui/switch-skill.ts";
import { toast, toastFailure } from "../../../ui/toast.tsx";
import type { SkillDetail, SkillProps } from "../skill-view.ts";
import { closedVisibility } from "./closed-visibility.ts";

type Visibility = NonNullable<SkillDetail["registry"]>["visibility"];

const icons = { public: Globe, internal: Users, private: Lock } as const;

/** The visibility in a sentence, and the way to change it. */
export function VisibilityPanel({ skill: { entry, registry } }: SkillProps) {
  const [isAsking, setAsking] = useState(false);
  const canManage = useRights().manages(registry);
  if (registry === undefined) return null;
  const { visibility, owner, system } = registry;
  const Icon = icons[visibility];
  const isPublic = visibility === "public";
  return (
    <Panel title="Visibility">
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
        <p className="flex min-w-0 flex-1 basis-64 items-start gap-3 text-sm">
          <Icon className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden />
          <span>{system ? "Ships with Skillhold. Everyone can use it." : wordsFor(visibility, owner)}</span>
        </p>
        {canManage && !system && (
          <Button icon={isPublic ? Lock : Globe} onClick={() => setAsking(true)}>
            {isPublic ? "Make private" : "Make public"}
          </Button>
        )}
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          void change(entry.id, !isPublic);
        }}
        title={isPublic ? `Make ${entry.id} private` : `Make ${entry.id} public`}
        text={
          isPublic
            ? `Only ${owner} and those with a grant keep access. Everyone else loses it at once.`
            : "Everyone signed in, and every agent, can find, read and run it."
        }
        action={isPublic ? "Make private" : "Make public"}
      />
    </Panel>
  );
}

function wordsFor(visibility: Visibility, owner: string): string {
  if (visibility === "public") return `Everyone can use it. Owned by ${owner}.`;
  if (visibility === "internal") return `Only ${owner} (owner) and those with a grant can use it.`;
  return `Only ${owner} (owner) can use it. Grant it to others below, or make it public.`;
}

async function change(id: string, isPublic: boolean): Promise<void> {
  try {
    const visibility = isPublic ? "public" : await closedVisibility(id);
    await call("PUT /v1/skills/{id}", { params: { id }, body: { visibility } });
    toast(`${id} is ${visibility}`, { undo: () => void change(id, !isPublic) });
  } catch (error) {
    toastFailure(error);
  }
  await refreshSkill();
}
