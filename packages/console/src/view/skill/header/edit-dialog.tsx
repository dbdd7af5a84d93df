import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callTagged, type Tagged } from "../../../api/client.ts";
import { useChange } from "../../../api/use-api.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, Select, TextArea } from "../../../ui/field.tsx";
import { Failure, SkeletonRows } from "../../../ui/state.tsx";
import { toast, toastFailure } from "../../../ui/toast.tsx";
import { closedVisibility } from "../access/closed-visibility.ts";
import { type EditText, editOf, textOf } from "./skill-edit.ts";

export interface EditDialogProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Edits the display fields of a skill; SKILL.md does not change. */
export function EditDialog({ id, isOpen, onClose }: EditDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["edit", id],
    queryFn: () => callTagged("GET /v1/skills/{id}", { params: { id } }),
    enabled: isOpen,
    // The form starts from fresh data, which does not change during editing.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const load = () => void refetch();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Edit ${id}`}>
      {error !== null && <Failure error={error} onRetry={load} isCompact />}
      {error === null && data === undefined && <SkeletonRows count={3} />}
      {data !== undefined && <EditForm key={data.tag} seen={data} onClose={onClose} onReload={load} />}
    </Dialog>
  );
}

interface EditFormProps {
  readonly seen: Tagged<"GET /v1/skills/{id}">;
  readonly onClose: () => void;
  readonly onReload: () => void;
}

function EditForm({ seen, onClose, onReload }: EditFormProps) {
  const before = textOf(seen.answer);
  const [text, setText] = useState<EditText>(before);
  const { id } = seen.answer.entry;
  const change = useChange("PUT /v1/skills/{id}", ["GET /v1/skills/{id}", "GET /v1/skills"]);
  const set = (part: Partial<EditText>) => setText({ ...text, ...part });
  const save = async () => {
    const edit = editOf(before, text);
    const shut = edit.visibility === "private" ? { visibility: await closedVisibility(id) } : {};
    change.mutate(
      { params: { id }, body: { ...edit, ...shut }, ifMatch: seen.tag },
      {
        onSuccess: ({ status }) => {
          toast(status === "edited" ? `${id} saved` : "Nothing changed");
          onClose();
        },
      },
    );
  };
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        save().catch(toastFailure);
      }}
    >
      <EditFields text={text} shut={seen.answer.registry?.visibility ?? "private"} onChange={set} />
      {change.error !== null && (
        <Failure error={change.error} isCompact {...(isStale(change.error) ? { onRetry: onReload } : {})} />
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

interface EditFieldsProps {
  readonly text: EditText;
  /** The skill's visibility, which decides the label of the non-public option. */
  readonly shut: string;
  readonly onChange: (part: Partial<EditText>) => void;
}

function EditFields({ text, shut, onChange }: EditFieldsProps) {
  return (
    <>
      <Field label="Display name" note="Leave empty to use SKILL.md's.">
        <Input value={text.name} onChange={({ target }) => onChange({ name: target.value })} />
      </Field>
      <Field label="Description" note="What agents choose it by. Leave empty to use SKILL.md's.">
        <TextArea
          rows={4}
          value={text.description}
          onChange={({ target }) => onChange({ description: target.value })}
        />
      </Field>
      <Field label="Tags" note="Separated by commas.">
        <Input value={text.tags} onChange={({ target }) => onChange({ tags: target.value })} />
      </Field>
      <Field label="Visibility">
        <Select
          value={text.visibility}
          onChange={({ target }) =>
            onChange({ visibility: target.value === "public" ? "public" : "private" })
          }
        >
          <option value="public">Everyone</option>
          <option value="private">
            {shut === "internal" ? "Owner and those with a grant" : "Owner only"}
          </option>
        </Select>
      </Field>
    </>
  );
}

function isStale(error: Error): boolean {
  return error instanceof ApiError && error.code === "PRECONDITION_FAILED";
}
