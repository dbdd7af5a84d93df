import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { useSkills } from "../../api/use-skills.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Mono } from "../../ui/text.tsx";

export interface PinFieldsProps {
  readonly pins: Readonly<Record<string, number>>;
  readonly onChange: (pins: Readonly<Record<string, number>>) => void;
}

/** Pins skills to revisions for this agent, regardless of the current revision. */
export function PinFields({ pins, onChange }: PinFieldsProps) {
  const entries = Object.entries(pins).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const without = (id: string) => Object.fromEntries(entries.filter(([each]) => each !== id));
  return (
    <div className="space-y-3 p-4 text-sm">
      {entries.length === 0 && (
        <p className="text-muted">None. The agent gets the current revision of every skill.</p>
      )}
      {entries.length > 0 && (
        <ul className="max-w-md divide-y divide-line rounded-md border border-line">
          {entries.map(([id, revision]) => (
            <li key={id} className="flex items-center gap-2 py-0.5 pr-1 pl-3">
              <Mono className="min-w-0 flex-1 truncate">
                {id} at r{revision}
              </Mono>
              <IconButton icon={X} label={`Unpin ${id}`} onClick={() => onChange(without(id))} />
            </li>
          ))}
        </ul>
      )}
      <NewPin onAdd={(id, revision) => onChange({ ...pins, [id]: revision })} />
    </div>
  );
}

function NewPin({ onAdd }: { readonly onAdd: (id: string, revision: number) => void }) {
  const { data: rows = [] } = useSkills();
  const [id, setId] = useState("");
  const [chosen, setChosen] = useState("");
  const { data } = useApi("GET /v1/skills/{id}/versions", { params: { id } }, { enabled: id !== "" });
  const revisions = id === "" ? [] : (data?.versions ?? []);
  const revision = chosen === "" ? revisions[0]?.revision : Number(chosen);
  const choose = (skill: string) => {
    setId(skill);
    setChosen("");
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Skill to pin"
        value={id}
        onChange={({ target }) => choose(target.value)}
        className="w-56! max-w-full"
      >
        <option value="">Select a skill</option>
        {rows
          .filter(({ registry }) => registry !== undefined)
          .map(({ entry }) => (
            <option key={entry.id}>{entry.id}</option>
          ))}
      </Select>
      <Select
        aria-label="Revision"
        disabled={revisions.length === 0}
        value={revision ?? ""}
        onChange={({ target }) => setChosen(target.value)}
        className="w-24!"
      >
        {revisions.map((each) => (
          <option key={each.revision} value={each.revision}>
            r{each.revision}
          </option>
        ))}
      </Select>
      <Button
        icon={Plus}
        disabled={id === "" || revision === undefined}
        onClick={() => {
          if (revision !== undefined) onAdd(id, revision);
          choose("");
        }}
      >
        Pin
      </Button>
    </div>
  );
}
