import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Field, TextArea } from "../../../ui/field.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { toast } from "../../../ui/toast.tsx";
import type { GuardFinding } from "./guard-report.ts";

export interface WaiveProps {
  readonly id: string;
  /** Undefined while the dialog is closed. */
  readonly finding: GuardFinding | undefined;
  readonly onClose: () => void;
}

/** Accepts a finding in one content of one file, with a reason for the audit log. */
export function Waive({ id, finding, onClose }: WaiveProps) {
  const [reason, setReason] = useState("");
  const waive = useChange("POST /v1/guard/waivers", ["GET /v1/skills/{id}/guard"]);
  const submit = () => {
    if (finding === undefined) return;
    const { ruleId, file, digest } = finding;
    waive.mutate(
      { body: { skill: id, ruleId, file, contentHash: digest, reason: reason.trim() } },
      {
        onSuccess: () => {
          toast(`${ruleId} is waived in ${file}`);
          setReason("");
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      isOpen={finding !== undefined}
      onClose={onClose}
      title={`Waive ${finding?.ruleId}`}
      action="Waive"
      onSubmit={submit}
      isReady={reason.trim() !== ""}
      isBusy={waive.isPending}
      error={waive.error}
    >
      <p className="text-sm">
        The finding in {finding?.file} is accepted for its current content. A changed file is reported again.
      </p>
      <Field label="Reason" note="The audit log keeps it with your name.">
        <TextArea rows={3} value={reason} onChange={({ target }) => setReason(target.value)} />
      </Field>
    </FormDialog>
  );
}
