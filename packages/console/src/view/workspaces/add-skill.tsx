import { useState } from "react";
import { useSkills } from "../../api/use-skills.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Select } from "../../ui/field.tsx";

export interface AddSkillDialogProps {
  readonly workspace: string;
  readonly onAdd: (workspace: string, skill: string) => void;
  readonly onClose: () => void;
}

/** Adds a skill to a workspace without dragging. */
export function AddSkillDialog({ workspace, onAdd, onClose }: AddSkillDialogProps) {
  const { data = [] } = useSkills();
  const [skill, setSkill] = useState("");
  const add = () => {
    onAdd(workspace, skill);
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Add a skill to ${workspace}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={skill === ""} onClick={add}>
            Add
          </Button>
        </>
      }
    >
      <Field
        label="Skill"
        note="The skill is copied into the workspace's folder and added to its list. Without a folder on the gateway, it is granted."
      >
        <Select value={skill} onChange={({ target }) => setSkill(target.value)}>
          <option value="">Choose a skill</option>
          {data.map(({ entry: { id } }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </Select>
      </Field>
    </Dialog>
  );
}
