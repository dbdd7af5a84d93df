import { GitPullRequest, type LucideIcon, X } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../../api/client.ts";
import { useRights } from "../../../api/session.tsx";
import { queries } from "../../../api/use-api.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Failure } from "../../../ui/state.tsx";
import { toast } from "../../../ui/toast.tsx";
import type { SkillDetail } from "../skill-view.ts";
import { type FileEdit, publishEdit } from "./publish-edit.ts";

export interface FileChangeProps {
  /** The skill as it was when the edit began. */
  readonly skill: SkillDetail;
  readonly edit: FileEdit;
  readonly isChanged: boolean;
  /** The label of the button that publishes. */
  readonly action: string;
  readonly icon: LucideIcon;
  readonly onClose: () => void;
  /** Called when the change is published. */
  readonly onPublished: () => void;
}

/** Publishes the change of a file as a revision, or proposes it to the reviewers of the skill. */
export function FileChange({ skill, edit, isChanged, action, icon, onClose, onPublished }: FileChangeProps) {
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState<"publish" | "propose">();
  const [error, setError] = useState<Error>();
  const [, go] = useLocation();
  const canPublish = useRights().manages(skill.registry);
  const { id } = skill.entry;
  const run = async (kind: "publish" | "propose", work: () => Promise<void>) => {
    setBusy(kind);
    setError(undefined);
    try {
      await work();
      void queries.invalidateQueries();
    } catch (caught) {
      setError(caught instanceof Error ? caught : new Error(String(caught)));
    } finally {
      setBusy(undefined);
    }
  };
  const publish = () =>
    run("publish", async () => {
      const revision = await publishEdit(skill, edit);
      toast(`${id} published as r${revision}`);
      await queries.invalidateQueries({ queryKey: ["GET /v1/skills/{id}/files"] });
      onPublished();
    });
  const propose = () =>
    run("propose", async () => {
      const files = [{ path: edit.path, content: edit.text }];
      const body = { skill: id, base: skill.treeHash, files, justification: reason.trim() };
      const { id: proposal } = await call("POST /v1/proposals", { body });
      toast("Change proposed");
      go(`/proposals/${proposal}`);
    });
  return (
    <>
      <Field label="Reason" note="For reviewers. Required to propose the change.">
        <Input value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
      </Field>
      {error !== undefined && <Failure error={error} isCompact />}
      <div className="flex flex-wrap justify-end gap-2">
        {isChanged && <span className="mr-auto self-center text-sm text-muted">Unsaved changes</span>}
        <Button icon={X} onClick={onClose}>
          {isChanged ? "Discard" : "Close"}
        </Button>
        <Button
          icon={GitPullRequest}
          look={canPublish ? "plain" : "primary"}
          isBusy={busy === "propose"}
          disabled={!isChanged || reason.trim() === "" || busy !== undefined}
          onClick={() => void propose()}
        >
          Propose
        </Button>
        {canPublish && (
          <Button
            icon={icon}
            look="primary"
            isBusy={busy === "publish"}
            disabled={!isChanged || busy !== undefined}
            onClick={() => void publish()}
          >
            {action}
          </Button>
        )}
      </div>
    </>
  );
}
