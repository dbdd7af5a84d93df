import type { WorkspaceView } from "@skillhold/protocol/http";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, TextArea } from "../../ui/field.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { Ago, Mono } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";

export interface WorkspaceDetailProps {
  readonly workspace: WorkspaceView;
  readonly onClose: () => void;
}

/** The agent card of a workspace, its pushes and problems, and its config. */
export function WorkspaceDetail({ workspace, onClose }: WorkspaceDetailProps) {
  const { id, name, description, owner, runtime, url, cardAt, pushes, problems, hasFolder } = workspace;
  return (
    <Dialog isOpen isWide onClose={onClose} title={name}>
      <div className="space-y-4 text-sm">
        {description !== "" && <p>{description}</p>}
        <p className="text-muted">
          <Mono>{id}</Mono> of {owner}, runtime {runtime}
          {url !== undefined && `, at ${url}`}
          {cardAt !== undefined && (
            <>
              , card changed <Ago at={cardAt} />
            </>
          )}
        </p>
        <CardSkills workspace={workspace} />
        {pushes.length > 0 && (
          <ul aria-label="Pushes" className="space-y-1">
            {pushes.map((push) => (
              <li key={push.url} className="break-words">
                <Badge tone={push.ok ? "good" : "bad"}>{push.ok ? "pushed" : "failed"}</Badge> {push.url}{" "}
                <Ago at={push.at} />: {push.message}
              </li>
            ))}
          </ul>
        )}
        {problems.length > 0 && (
          <ul aria-label="Problems" className="space-y-1">
            {problems.map(({ severity, code, subject, message }) => (
              <li key={`${code} ${subject} ${message}`} className="break-words">
                <Badge tone={severity === "error" ? "bad" : "warn"}>{severity}</Badge> {message}
              </li>
            ))}
          </ul>
        )}
        {hasFolder && <ConfigEditor workspace={id} />}
      </div>
    </Dialog>
  );
}

function CardSkills({ workspace: { id, skills, hasFolder } }: { readonly workspace: WorkspaceView }) {
  const remove = useChange("DELETE /v1/workspaces/{workspace}/skills/{skill}", ["GET /v1/workspaces"]);
  const unlist = (skill: string) =>
    remove.mutate(
      { params: { workspace: id, skill } },
      { onSuccess: () => toast(`${skill} removed from ${id}`), onError: toastFailure },
    );
  return (
    <ul aria-label="Skills on the card" className="divide-y divide-line rounded border border-line">
      {skills.length === 0 && <li className="p-2 text-muted">No skills</li>}
      {skills.map((skill) => (
        <li key={skill.id} className="flex items-center gap-2 p-2">
          <span className="min-w-0 flex-1 break-words">
            <span className="font-medium">{skill.name}</span> {skill.description}
          </span>
          {hasFolder && (
            <Button look="quiet" onClick={() => unlist(skill.id)}>
              Remove<span className="sr-only"> {skill.name}</span>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

const CONFIG = "config.yaml";

/** Edits config.yaml. The gateway rejects a config that is not valid, and keeps the old one. */
function ConfigEditor({ workspace }: { readonly workspace: string }) {
  const file = "GET /workspaces/{workspace}/files/{path}" as const;
  const params = { workspace, path: CONFIG };
  const { data, error } = useApi(file, { params });
  const save = useChange("PUT /workspaces/{workspace}/files/{path}", [file, "GET /v1/workspaces"]);
  const [edited, setEdited] = useState<string>();
  if (error !== null) return <Failure error={error} isCompact />;
  if (data === undefined) return <SkeletonRows count={2} />;
  const text = edited ?? data.content;
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(
          { params, body: { content: text } },
          {
            onSuccess: () => {
              toast(`${CONFIG} saved`);
              setEdited(undefined);
            },
          },
        );
      }}
    >
      <Field
        label={CONFIG}
        note="Changes of the runtime and the tier apply after a restart of the workspace."
      >
        <TextArea
          rows={10}
          spellCheck={false}
          className="font-mono"
          value={text}
          onChange={({ target }) => setEdited(target.value)}
        />
      </Field>
      {save.error !== null && <Failure error={save.error} isCompact />}
      <Button look="primary" type="submit" isBusy={save.isPending} disabled={edited === undefined}>
        Save
      </Button>
    </form>
  );
}
