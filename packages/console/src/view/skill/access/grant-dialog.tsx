import { useState } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Select } from "../../../ui/field.tsx";
import { Failure } from "../../../ui/state.tsx";
import { toast } from "../../../ui/toast.tsx";
import { bodyOf, type GrantText } from "./grant.ts";
import { GranteeField } from "./grantee-field.tsx";

export interface GrantDialogProps {
  readonly id: string;
  readonly edited: { readonly text: GrantText; readonly isNew: boolean } | undefined;
  readonly onClose: () => void;
}

/** Gives a grant, or changes one. */
export function GrantDialog({ id, edited, onClose }: GrantDialogProps) {
  const title = edited?.isNew === false ? `Edit grant for ${edited.text.key}` : `Grant ${id}`;
  return (
    <Dialog isOpen={edited !== undefined} onClose={onClose} title={title}>
      {edited !== undefined && <GrantForm id={id} {...edited} onClose={onClose} />}
    </Dialog>
  );
}

interface GrantFormProps {
  readonly id: string;
  readonly text: GrantText;
  readonly isNew: boolean;
  readonly onClose: () => void;
}

function GrantForm({ id, text: before, isNew, onClose }: GrantFormProps) {
  const [text, setText] = useState(before);
  const change = useChange("PUT /v1/skills/{id}/grants/{kind}/{key}", [
    "GET /v1/skills/{id}/grants",
    "GET /v1/skills/{id}/access",
    "GET /v1/skills/{id}",
    "GET /v1/users",
  ]);
  const save = () =>
    change.mutate(
      { params: { id, kind: text.kind, key: text.key.trim() }, body: bodyOf(text) },
      {
        onSuccess: ({ grantee, status }) => {
          if (status === "pending") toast(`The owner of ${grantee.key} must accept ${id}`);
          else toast(status === "unchanged" ? "Nothing changed" : `${grantee.key} can use ${id}`);
          onClose();
        },
      },
    );
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {isNew && <GranteeField text={text} onChange={setText} />}
      {text.kind === "user" && (
        <label className="flex items-start gap-2 text-sm">
          <input
            type="checkbox"
            checked={text.canManage}
            onChange={({ target }) => setText({ ...text, canManage: target.checked })}
            className="mt-1 size-3.5 accent-(--accent)"
          />
          <span>
            <span className="font-medium">Can manage</span>
            <span className="block text-xs text-muted">Publish revisions, edit, grant and delete.</span>
          </span>
        </label>
      )}
      <PinField id={id} pin={text.pin} onChange={(pin) => setText({ ...text, pin })} />
      {change.error !== null && <Failure error={change.error} isCompact />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={change.isPending} disabled={text.key.trim() === ""}>
          {isNew ? "Grant" : "Save"}
        </Button>
      </div>
    </form>
  );
}

interface PinFieldProps {
  readonly id: string;
  readonly pin: string;
  readonly onChange: (pin: string) => void;
}

function PinField({ id, pin, onChange }: PinFieldProps) {
  const { data } = useApi("GET /v1/skills/{id}/versions", { params: { id } });
  const there = data?.versions.filter(({ purgedAt }) => purgedAt === undefined) ?? [];
  return (
    <Field label="Revision" note="Pin them to one revision, or follow the current one.">
      <Select value={pin} onChange={({ target }) => onChange(target.value)}>
        <option value="">Current</option>
        {there.map(({ revision, version }) => (
          <option key={revision} value={revision}>
            r{revision}
            {version === undefined ? "" : ` (${version})`}
          </option>
        ))}
      </Select>
    </Field>
  );
}
