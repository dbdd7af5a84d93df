import { useState } from "react";
import { useSkills } from "../../api/use-skills.ts";
import { Input } from "../../ui/field.tsx";
import { Failure } from "../../ui/state.tsx";

export interface SkillPickerProps {
  /** Undefined for all. */
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

const ways = [
  ["all", "All it has access to"],
  ["chosen", "Selected skills only"],
  ["none", "None"],
] as const;
type Way = (typeof ways)[number][0];

/** Picks all skills, a selection, or no skills. */
export function SkillPicker({ chosen, onChange }: SkillPickerProps) {
  // An empty selection shows as `none` unless the user picked `chosen`.
  const [isChoosing, setChoosing] = useState((chosen?.length ?? 0) > 0);
  const [kept, setKept] = useState(chosen ?? []);
  const way: Way = chosen === undefined ? "all" : chosen.length > 0 || isChoosing ? "chosen" : "none";
  const go = (to: Way) => {
    setChoosing(to === "chosen");
    if (chosen !== undefined && chosen.length > 0) setKept(chosen);
    onChange(to === "all" ? undefined : to === "none" ? [] : kept);
  };
  return (
    <div className="space-y-3 p-4">
      <fieldset className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
        <legend className="sr-only">Allowed skills</legend>
        {ways.map(([each, title]) => (
          <label key={each} className="flex items-center gap-2">
            <input
              type="radio"
              name="allow"
              className="accent-(--accent)"
              checked={way === each}
              onChange={() => go(each)}
            />
            {title}
          </label>
        ))}
      </fieldset>
      {way === "chosen" && <SkillChoices chosen={chosen ?? []} onChange={onChange} />}
    </div>
  );
}

const MOST = 200;

interface SkillChoicesProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function SkillChoices({ chosen, onChange }: SkillChoicesProps) {
  const [words, setWords] = useState("");
  const { data: rows = [], error, refetch } = useSkills();
  const known = rows.map(({ entry }) => entry.id as string);
  const ids = [...new Set([...known, ...chosen])].toSorted();
  const fitting = ids.filter((id) => id.includes(words.trim().toLowerCase()));
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <>
      {error !== null && <Failure error={error} isCompact onRetry={() => void refetch()} />}
      <Input
        type="search"
        aria-label="Search skills"
        placeholder={`Search (${chosen.length} selected)`}
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
      <ul className="grid max-h-64 gap-x-4 overflow-y-auto sm:grid-cols-2">
        {fitting.slice(0, MOST).map((id) => (
          <li key={id}>
            <label className="flex items-center gap-2 py-0.5 text-sm">
              <input
                type="checkbox"
                className="accent-(--accent)"
                checked={chosen.includes(id)}
                onChange={({ target }) => toggle(id, target.checked)}
              />
              <span className="truncate">{id}</span>
              {!known.includes(id) && <span className="text-xs text-muted">not found</span>}
            </label>
          </li>
        ))}
      </ul>
      {chosen.length === 0 && (
        <p className="text-xs text-muted">Nothing selected: the agent would see no skills.</p>
      )}
      {fitting.length > MOST && (
        <p className="text-xs text-muted">{fitting.length - MOST} more. Type to narrow the list.</p>
      )}
    </>
  );
}
