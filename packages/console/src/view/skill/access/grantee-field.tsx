import { useId } from "react";
import { useApi } from "../../../api/use-api.ts";
import { Field, Input, Select } from "../../../ui/field.tsx";
import type { GrantText } from "./grant.ts";

export interface GranteeFieldProps {
  readonly text: GrantText;
  readonly onChange: (text: GrantText) => void;
}

/** Chooses an existing agent, a known user, or a new user name. */
export function GranteeField({ text, onChange }: GranteeFieldProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-[8rem_minmax(0,1fr)]">
      <Field label="Kind">
        <Select
          value={text.kind}
          onChange={({ target }) =>
            onChange({ ...text, kind: target.value === "user" ? "user" : "agent", key: "" })
          }
        >
          <option value="agent">Agent</option>
          <option value="user">User</option>
        </Select>
      </Field>
      {text.kind === "agent" ? (
        <AgentField value={text.key} onChange={(key) => onChange({ ...text, key })} />
      ) : (
        <UserField value={text.key} onChange={(key) => onChange({ ...text, key })} />
      )}
    </div>
  );
}

interface KeyFieldProps {
  readonly value: string;
  readonly onChange: (key: string) => void;
}

function AgentField({ value, onChange }: KeyFieldProps) {
  const { data } = useApi("GET /v1/agents");
  const note = data?.agents.length === 0 ? "No agents yet. Add one under Agents first." : undefined;
  return (
    <Field label="Agent" {...(note === undefined ? {} : { note })}>
      <Select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">Select an agent</option>
        {data?.agents.map(({ key, displayName }) => (
          <option key={key} value={key}>
            {displayName === key ? key : `${displayName} (${key})`}
          </option>
        ))}
      </Select>
    </Field>
  );
}

function UserField({ value, onChange }: KeyFieldProps) {
  const { data } = useApi("GET /v1/users");
  const id = useId();
  return (
    <Field label="User">
      <Input
        list={id}
        value={value}
        placeholder="Name"
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {data?.users.map(({ name, displayName }) => (
          <option key={name} value={name}>
            {displayName}
          </option>
        ))}
      </datalist>
    </Field>
  );
}
