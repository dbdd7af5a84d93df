import { useCanPublish } from "../api/session.tsx";
import { useApi } from "../api/use-api.ts";
import { Field, Select } from "./field.tsx";

export interface AgentSelectProps {
  readonly value: string;
  readonly onChange: (agent: string) => void;
  readonly label?: string;
}

/** Whose eyes to look through: one's own, or an agent's. */
export function AgentSelect({ value, onChange, label = "View as" }: AgentSelectProps) {
  const canList = useCanPublish();
  const { data } = useApi("GET /v1/agents", undefined, { enabled: canList });
  // Who may list no agents has only their own eyes.
  if (!canList) return null;
  return (
    <Field label={label} {...(value === "" ? {} : { note: "Sees public skills and those granted to it." })}>
      <Select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">Myself</option>
        {data?.agents.map(({ key, displayName }) => (
          <option key={key} value={key}>
            {displayName === key ? key : `${displayName} (${key})`}
          </option>
        ))}
      </Select>
    </Field>
  );
}
