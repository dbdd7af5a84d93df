import { useId, useState } from "react";
import { call } from "../../api/client.ts";
import { useSkills } from "../../api/use-skills.ts";
import { Field, Input, Select } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { count } from "../../ui/text.tsx";
import { toast } from "../../ui/toast.tsx";
import { doAll } from "./bulk-act.ts";
import type { BulkDialogProps } from "./bulk-grant.tsx";
import { countTags } from "./skill-filter.ts";
import { changeTags, readTags } from "./skill-tag.ts";

/** Adds tags to several skills, or removes them. */
export function BulkTag({ rows, onClose, onDone }: BulkDialogProps) {
  const [words, setWords] = useState("");
  const [act, setAct] = useState<"add" | "remove">("add");
  const [isBusy, setBusy] = useState(false);
  const { data: all = [] } = useSkills();
  const list = useId();
  const tags = readTags(words);
  const save = async () => {
    setBusy(true);
    const before = new Map(rows.map(({ entry }) => [entry.id as string, entry.tags]));
    const changed = [...before].filter(([, own]) => changeTags(own, tags, act) !== own).map(([id]) => id);
    const put = (id: string, next: readonly string[]) =>
      call("PUT /v1/skills/{id}", { params: { id }, body: { tags: [...next] } });
    const good = await doAll(changed, (id) => put(id, changeTags(before.get(id) ?? [], tags, act)));
    setBusy(false);
    if (changed.length === 0) toast("Nothing changed", { tone: "info" });
    if (good.length > 0)
      toast(`${count(good.length, "skill")} ${act === "add" ? "tagged" : "untagged"}`, {
        undo: () => void doAll(good, (id) => put(id, before.get(id) ?? [])),
      });
    onDone();
  };
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={`Tag ${count(rows.length, "skill")}`}
      action={act === "add" ? "Add tags" : "Remove tags"}
      onSubmit={() => void save()}
      isReady={tags.length > 0 && !isBusy}
      isBusy={isBusy}
      error={null}
    >
      <Field label="Change">
        <Select value={act} onChange={({ target }) => setAct(target.value === "remove" ? "remove" : "add")}>
          <option value="add">Add</option>
          <option value="remove">Remove</option>
        </Select>
      </Field>
      <Field label="Tags" note="Separate several by commas.">
        <Input
          list={list}
          value={words}
          maxLength={1000}
          autoComplete="off"
          onChange={({ target }) => setWords(target.value)}
        />
      </Field>
      <datalist id={list}>
        {countTags(all, null).map(([tag]) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </FormDialog>
  );
}
