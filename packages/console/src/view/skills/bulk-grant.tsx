import type { SkillRow } from "@skillhold/protocol/http";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { count } from "../../ui/text.tsx";
import { toast } from "../../ui/toast.tsx";
import { bodyOf, type GrantText } from "../skill/access/grant.ts";
import { GranteeField } from "../skill/access/grantee-field.tsx";
import { doAll } from "./bulk-act.ts";

export interface BulkDialogProps {
  readonly rows: readonly SkillRow[];
  readonly onClose: () => void;
  /** Called when the change was made. */
  readonly onDone: () => void;
}

const none: GrantText = { kind: "agent", key: "", canManage: false, pin: "" };

/** Grants several skills to one agent or user. */
export function BulkGrant({ rows, onClose, onDone }: BulkDialogProps) {
  const [text, setText] = useState(none);
  const [isBusy, setBusy] = useState(false);
  const key = text.key.trim();
  const grant = async () => {
    setBusy(true);
    const added: string[] = [];
    const good = await doAll(
      rows.map(({ entry }) => entry.id),
      async (id) => {
        const params = { id, kind: text.kind, key };
        const { status } = await call("PUT /v1/skills/{id}/grants/{kind}/{key}", {
          params,
          body: bodyOf(text),
        });
        if (status !== "unchanged") added.push(id);
      },
    );
    setBusy(false);
    const revoke = (id: string) =>
      call("DELETE /v1/skills/{id}/grants/{kind}/{key}", { params: { id, kind: text.kind, key } });
    const undo = added.length === 0 ? {} : { undo: () => void doAll(added, revoke) };
    if (good.length > 0) toast(`${count(good.length, "skill")} granted to ${key}`, undo);
    onDone();
  };
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={`Grant ${count(rows.length, "skill")}`}
      action="Grant"
      onSubmit={() => void grant()}
      isReady={key !== "" && !isBusy}
      isBusy={isBusy}
      error={null}
    >
      <GranteeField text={text} onChange={setText} />
    </FormDialog>
  );
}
