import { useState } from "react";
import { ApiError, type Tagged } from "../../api/client.ts";
import { queries, useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input, TextArea } from "../../ui/field.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure } from "../../ui/state.tsx";
import { toast } from "../../ui/toast.tsx";
import { type AgentText, changeOf, textOf } from "./agent-text.ts";
import { PinFields } from "./pin-field.tsx";
import { SkillPicker } from "./skill-picker.tsx";

export interface AgentFormProps {
  /** The agent when the form opened, with its ETag. */
  readonly seen: Tagged<"GET /v1/agents/{key}">;
  /** Loads the current agent and discards the edits. */
  readonly onReload: () => void;
}

/** Edits an agent; changes are sent only on save. */
export function AgentForm({ seen, onReload }: AgentFormProps) {
  const { key } = seen.answer;
  const before = textOf(seen.answer);
  const [text, setText] = useState(before);
  const change = useChange("PUT /v1/agents/{key}", [
    ...(["GET /v1/agents", "GET /v1/agents/{key}", "GET /v1/catalogue", "GET /v1/explain"] as const),
  ]);
  const body = changeOf(before, text, key);
  const isChanged = Object.keys(body).length > 0;
  const save = () =>
    change.mutate(
      { params: { key }, body, ifMatch: seen.tag },
      {
        onSuccess: () => {
          toast(`${key} saved`);
          void queries.invalidateQueries({ queryKey: ["edit agent", key] });
        },
      },
    );
  const isStale = change.error instanceof ApiError && change.error.code === "PRECONDITION_FAILED";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <AgentFields text={text} onChange={(part) => setText({ ...text, ...part })} />
      {change.error !== null && <Failure error={change.error} {...(isStale ? { onRetry: onReload } : {})} />}
      <div className="mb-6 flex items-center justify-end gap-2 px-4">
        {isChanged && <span className="mr-auto text-sm text-muted">Unsaved changes</span>}
        <Button disabled={!isChanged} onClick={() => setText(before)}>
          Discard
        </Button>
        <Button
          look="primary"
          type="submit"
          isBusy={change.isPending}
          disabled={!isChanged || change.isPending}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

interface AgentFieldsProps {
  readonly text: AgentText;
  readonly onChange: (part: Partial<AgentText>) => void;
}

function AgentFields({ text, onChange }: AgentFieldsProps) {
  return (
    <>
      <Panel title="General">
        <div className="grid gap-4 p-4 sm:grid-cols-2">
          <Field label="Display name" note="Defaults to the key.">
            <Input
              value={text.displayName}
              maxLength={256}
              onChange={({ target }) => onChange({ displayName: target.value })}
            />
          </Field>
          <Field label="Runtime" note="The agent's framework, such as claude-code.">
            <Input
              required
              value={text.runtime}
              maxLength={128}
              onChange={({ target }) => onChange({ runtime: target.value })}
            />
          </Field>
        </div>
      </Panel>
      <Panel title="Allowed skills">
        <SkillPicker chosen={text.allow} onChange={(allow) => onChange({ allow })} />
      </Panel>
      <Panel title="Pinned revisions">
        <PinFields pins={text.pins} onChange={(pins) => onChange({ pins })} />
      </Panel>
      <Panel title="Manifest">
        <div className="p-4">
          <Field label="agent.yaml" note="Optional. A list of skills in it limits the agent further.">
            <TextArea
              rows={8}
              spellCheck={false}
              value={text.manifest}
              onChange={({ target }) => onChange({ manifest: target.value })}
              className="font-mono"
            />
          </Field>
        </div>
      </Panel>
    </>
  );
}
