import type { SkillRow } from "@skillhold/protocol/http";
import { useMemo } from "react";
import { useCanPublish } from "../../api/session.tsx";
import { useApi } from "../../api/use-api.ts";
import { Select } from "../../ui/field.tsx";
import { countTags, type FactName, factFilters, valuesOf } from "./skill-filter.ts";

export interface TagSelectProps {
  readonly rows: readonly SkillRow[];
  readonly tag: string | null;
  /** Called with an empty string for all tags. */
  readonly onChoose: (tag: string) => void;
}

/** A select of all tags; hidden when no skill has a tag. */
export function TagSelect({ rows, tag, onChoose }: TagSelectProps) {
  const tags = useMemo(() => countTags(rows, tag), [rows, tag]);
  if (tags.length === 0) return null;
  return (
    <Select
      aria-label="Tag"
      value={tag ?? ""}
      onChange={({ target }) => onChoose(target.value)}
      className="sm:w-auto! sm:max-w-48 max-sm:min-w-[45%] max-sm:flex-1"
    >
      <option value="">All tags</option>
      {tags.map(([name, number]) => (
        <option key={name} value={name}>
          {name} ({number})
        </option>
      ))}
    </Select>
  );
}

export interface AgentFilterProps {
  readonly agent: string | null;
  /** Called with an empty string for any agent. */
  readonly onChoose: (agent: string) => void;
}

/** A select of the agents; hidden when there are none. */
export function AgentFilter({ agent, onChoose }: AgentFilterProps) {
  const canList = useCanPublish();
  const { data } = useApi("GET /v1/agents", undefined, { enabled: canList });
  const keys = data?.agents.map(({ key }) => key) ?? [];
  const shown = agent === null || keys.includes(agent) ? keys : [...keys, agent];
  if (shown.length === 0) return null;
  return (
    <Select
      aria-label="Agent"
      value={agent ?? ""}
      onChange={({ target }) => onChoose(target.value)}
      className="sm:w-auto! sm:max-w-40 max-sm:min-w-[45%] max-sm:flex-1"
    >
      <option value="">Any agent</option>
      {shown.map((key) => (
        <option key={key}>{key}</option>
      ))}
    </Select>
  );
}

export interface FactSelectProps {
  readonly rows: readonly SkillRow[];
  readonly name: FactName;
  readonly value: string | null;
  /** Called with an empty string for all values. */
  readonly onChoose: (value: string) => void;
}

/** A select of one fact; hidden when all skills have the same value. */
export function FactSelect({ rows, name, value, onChoose }: FactSelectProps) {
  const values = useMemo(() => valuesOf(rows, name, value), [rows, name, value]);
  if (values.length < 2 && value === null) return null;
  const { title, all } = factFilters[name];
  return (
    <Select
      aria-label={title}
      value={value ?? ""}
      onChange={({ target }) => onChoose(target.value)}
      className="sm:w-auto! sm:max-w-40 max-sm:min-w-[45%] max-sm:flex-1"
    >
      <option value="">{all}</option>
      {values.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </Select>
  );
}
