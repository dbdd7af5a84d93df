import type { Profile } from "@skillhold/skill";
import { GitPullRequest, Upload, X } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../../api/client.ts";
import { useRights } from "../../../api/session.tsx";
import { queries } from "../../../api/use-api.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, Input, TextArea } from "../../../ui/field.tsx";
import { Failure } from "../../../ui/state.tsx";
import { count } from "../../../ui/text.tsx";
import { toast } from "../../../ui/toast.tsx";
import { useDelayed } from "../../../ui/use-delayed.ts";
import type { SkillDetail } from "../skill-view.ts";
import { FindingList } from "../validation/finding-list.tsx";
import { useChecked } from "../validation/use-checked.ts";
import { publishEdit } from "./publish-edit.ts";

export interface FileEditorProps {
  /** The skill as it was when the editor opened. */
  readonly skill: SkillDetail;
  readonly path: string;
  readonly text: string;
  readonly onClose: () => void;
}

const profile: Profile = "publish";
const CHECK_MS = 300;

/** Edits a text file. The change is published as a revision, or proposed to the reviewers of the skill. */
export function FileEditor({ skill, path, text: before, onClose }: FileEditorProps) {
  const [text, setText] = useState(before);
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState<"publish" | "propose">();
  const [error, setError] = useState<Error>();
  const [, go] = useLocation();
  const canPublish = useRights().manages(skill.registry);
  const { id } = skill.entry;
  const isSkillFile = skill.files.some((file) => file.path === path && file.role === "instructions");
  const isChanged = text !== before;
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
      const revision = await publishEdit(skill, { path, text });
      toast(`${id} published as r${revision}`);
      onClose();
    });
  const propose = () =>
    run("propose", async () => {
      const files = [{ path, content: text }];
      const body = { skill: id, base: skill.treeHash, files, justification: reason.trim() };
      const { id: proposal } = await call("POST /v1/proposals", { body });
      toast("Change proposed");
      go(`/proposals/${proposal}`);
    });
  return (
    <div className="space-y-3 p-4">
      <Field label={`Text of ${path}`}>
        <TextArea
          rows={22}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="font-mono text-xs! leading-5"
        />
      </Field>
      {isSkillFile && <LiveFindings skill={skill} path={path} text={text} />}
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
            icon={Upload}
            look="primary"
            isBusy={busy === "publish"}
            disabled={!isChanged || busy !== undefined}
            onClick={() => void publish()}
          >
            Publish revision
          </Button>
        )}
      </div>
    </div>
  );
}

interface LiveFindingsProps {
  readonly skill: SkillDetail;
  readonly path: string;
  readonly text: string;
}

/** The checks of the gateway, some time after each change. */
function LiveFindings({ skill, path, text }: LiveFindingsProps) {
  const delayed = useDelayed(text, CHECK_MS);
  const checked = useChecked(delayed, profile, skill);
  if (checked === undefined || checked instanceof Error) return null;
  const errors = checked.diagnostics.filter(({ severity }) => severity === "error");
  const shown = checked.diagnostics.filter(({ severity }) => severity !== "info");
  return (
    <section aria-label="Checks" className="overflow-hidden rounded-md border border-line">
      <p role="status" className={`px-4 py-2 text-sm ${errors.length > 0 ? "text-bad" : "text-good"}`}>
        {errors.length > 0 ? `${count(errors.length, "error")}: the gateway would reject it.` : "Valid."}
      </p>
      {shown.length > 0 && (
        <FindingList id={skill.entry.id} path={path} revision={undefined} findings={shown} />
      )}
    </section>
  );
}
