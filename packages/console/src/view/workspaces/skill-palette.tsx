import { useState } from "react";
import { useSkills } from "../../api/use-skills.ts";
import { Input } from "../../ui/field.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { SKILL_TYPE } from "./workspace-tree.ts";

const MAX_SHOWN = 100;

/** The skills that can be dragged onto a workspace. Without a pointer, each workspace has a button. */
export function SkillPalette() {
  const { data, error, refetch } = useSkills();
  const [words, setWords] = useState("");
  const found = (data ?? []).filter(({ entry: { id } }) => id.includes(words.trim().toLowerCase()));
  return (
    <Panel title="Skills">
      <div className="space-y-2 p-4">
        <Input
          type="search"
          aria-label="Filter skills"
          placeholder="Filter skills"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        {error !== null && <Failure error={error} onRetry={() => void refetch()} isCompact />}
        {data === undefined && error === null && <SkeletonRows count={3} />}
        <ul className="space-y-1">
          {found.slice(0, MAX_SHOWN).map(({ entry: { id, description } }) => (
            <li
              key={id}
              draggable
              title={description}
              className="cursor-grab truncate rounded border border-line px-2 py-1 text-sm hover:bg-raised"
              onDragStart={({ dataTransfer }) => {
                dataTransfer.setData(SKILL_TYPE, id);
                dataTransfer.effectAllowed = "copy";
              }}
            >
              {id}
            </li>
          ))}
        </ul>
        {found.length > MAX_SHOWN && (
          <p className="text-sm text-muted">{found.length - MAX_SHOWN} more match. Type more letters.</p>
        )}
      </div>
    </Panel>
  );
}
