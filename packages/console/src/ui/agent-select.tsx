import { useCanPublish } from "../api/session.tsx";
import { useApi } from "../api/use-api.ts";
import { Field, Select } from "./field.tsx";

export interface AgentSelectProps {
  readonly value: string;
  readonly onChange: (agent: string) => void;
  readonly label?: string;
  /** Whose rights count beside the agent's. */
  readonly user?: string | undefined;
}

/** Whose eyes to look through: one's own, or an agent's. */
export function AgentSelect({ value, onChange, label = "View as", user }: AgentSelectProps) {
  const canList = useCanPublish();
  const { data } = useApi("GET /v1/agents", undefined, { enabled: canList });
  // Who may list no agents has only their own eyes.
  if (!canList) return null;
  return (
    <Field label={label} {...(user === undefined ? {} : { note: `Sees what its owner ${user} can see.` })}>
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
