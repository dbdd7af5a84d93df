import type { Profile } from "@skillhold/skill";
import { Trash2, Upload } from "lucide-react";
import { useState } from "react";
import { Field, TextArea } from "../../../ui/field.tsx";
import { count } from "../../../ui/text.tsx";
import { useDelayed } from "../../../ui/use-delayed.ts";
import type { SkillDetail } from "../skill-view.ts";
import { FindingList } from "../validation/finding-list.tsx";
import { useChecked } from "../validation/use-checked.ts";
import { FileChange } from "./file-change.tsx";

export interface FileEditorProps {
  /** The skill as it was when the editor opened. */
  readonly skill: SkillDetail;
  readonly path: string;
  /** Undefined for a new file. */
  readonly text: string | undefined;
  readonly onClose: () => void;
  readonly onPublished: () => void;
}

const profile: Profile = "publish";
const CHECK_MS = 300;

/** Edits a text file or writes a new one. */
export function FileEditor({ skill, path, text: before, onClose, onPublished }: FileEditorProps) {
  const [text, setText] = useState(before ?? "");
  const isSkillFile = skill.files.some((file) => file.path === path && file.role === "instructions");
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
      <FileChange
        skill={skill}
        edit={{ path, text }}
        isChanged={text !== before}
        action="Publish revision"
        icon={Upload}
        onClose={onClose}
        onPublished={onPublished}
      />
    </div>
  );
}

/** Confirms that a file is deleted from the skill. */
export function FileDelete({ skill, path, onClose, onPublished }: Omit<FileEditorProps, "text">) {
  return (
    <section aria-label={`Delete ${path}`} className="space-y-3 border-b border-line p-4">
      <p className="text-sm">
        The next revision has no <span className="font-mono break-all">{path}</span>. Earlier revisions keep
        it.
      </p>
      <FileChange
        skill={skill}
        edit={{ path, text: null }}
        isChanged
        action="Delete file"
        icon={Trash2}
        onClose={onClose}
        onPublished={onPublished}
      />
    </section>
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
