import { useState } from "react";
import { useLocation } from "wouter";
import { useChange } from "../../api/use-api.ts";
import { Field, Input } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

const empty = { key: "", runtime: "", displayName: "" };

export function NewAgent({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const [draft, setDraft] = useState(empty);
  const [, go] = useLocation();
  const add = useChange("POST /v1/agents", ["GET /v1/agents"]);
  const close = () => {
    setDraft(empty);
    add.reset();
    onClose();
  };
  const send = () => {
    const { displayName, ...body } = draft;
    const named = displayName === "" ? {} : { displayName };
    add.mutate(
      { body: { ...body, ...named } },
      {
        onSuccess: ({ key }) => {
          close();
          go(`/agents/${encodeURIComponent(key)}`);
        },
      },
    );
  };
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={close}
      title="New agent"
      action="Add"
      onSubmit={send}
      isReady={draft.key !== "" && draft.runtime !== ""}
      isBusy={add.isPending}
      error={add.error}
    >
      <Field label="Key" note="A permanent id, used in grants and tokens.">
        <Input value={draft.key} onChange={({ target }) => setDraft({ ...draft, key: target.value })} />
      </Field>
      <Field
        label="Runtime"
        note="The agent's framework, such as claude-code. Skills can be limited to some runtimes."
      >
        <Input
          value={draft.runtime}
          onChange={({ target }) => setDraft({ ...draft, runtime: target.value })}
        />
      </Field>
      <Field label="Display name" note="Defaults to the key.">
        <Input
          value={draft.displayName}
          onChange={({ target }) => setDraft({ ...draft, displayName: target.value })}
        />
      </Field>
    </FormDialog>
  );
}
