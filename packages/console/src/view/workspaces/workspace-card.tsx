import type { WorkspaceView } from "@skillhold/protocol/http";
import { Plus } from "lucide-react";
import { type DragEvent, useState } from "react";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { SKILL_TYPE } from "./workspace-tree.ts";

export interface WorkspaceCardProps {
  readonly workspace: WorkspaceView;
  readonly isNested: boolean;
  readonly onShow: (id: string) => void;
  readonly onAdd: (id: string) => void;
  readonly onDrop: (workspace: string, skill: string) => void;
}

const tones: Readonly<Record<WorkspaceView["status"], Tone>> = {
  new: "neutral",
  online: "good",
  degraded: "warn",
  offline: "neutral",
};

/** A workspace in the tree. A skill can be dropped on it. */
export function WorkspaceCard({ workspace, isNested, onShow, onAdd, onDrop }: WorkspaceCardProps) {
  const { id, name, status, task, skills, problems } = workspace;
  const [isOver, setOver] = useState(false);
  const accepts = (event: DragEvent) => event.dataTransfer.types.includes(SKILL_TYPE);
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return (
    <article
      aria-label={name}
      className={classNames(
        "space-y-2 rounded-lg border bg-panel p-3",
        isOver ? "border-accent bg-accent-soft" : "border-line",
      )}
      onDragOver={(event) => {
        if (!accepts(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!accepts(event)) return;
        event.preventDefault();
        onDrop(id, event.dataTransfer.getData(SKILL_TYPE));
      }}
    >
      <div className="flex flex-wrap items-center gap-2">
        <button
          type="button"
          className="min-w-0 font-medium break-words hover:underline"
          onClick={() => onShow(id)}
        >
          {name}
        </button>
        <Badge tone={tones[status]}>{status}</Badge>
        {errors > 0 && <Badge tone="bad">{errors === 1 ? "1 problem" : `${errors} problems`}</Badge>}
        <Button look="quiet" icon={Plus} className="ml-auto" onClick={() => onAdd(id)}>
          Add skill<span className="sr-only"> to {name}</span>
        </Button>
      </div>
      {task !== "" && <p className="text-sm break-words text-warn">{task}</p>}
      <SkillPills skills={skills} most={isNested ? 3 : 4} />
    </article>
  );
}

function SkillPills({ skills, most }: { readonly skills: WorkspaceView["skills"]; readonly most: number }) {
  if (skills.length === 0) return <p className="text-sm text-muted">No skills</p>;
  return (
    <div className="flex flex-wrap gap-1">
      {skills.slice(0, most).map(({ id, name }) => (
        <Badge key={id} tone="accent">
          {name}
        </Badge>
      ))}
      {skills.length > most && (
        <Badge
          title={skills
            .slice(most)
            .map(({ name }) => name)
            .join(", ")}
        >
          +{skills.length - most}
        </Badge>
      )}
    </div>
  );
}
