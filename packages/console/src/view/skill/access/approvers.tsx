import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { useIsAdmin } from "../../../api/session.tsx";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../../ui/state.tsx";
import { toast, toastFailure } from "../../../ui/toast.tsx";
import type { SkillProps } from "../skill-view.ts";

/** The users who answer approval questions of a skill; administrators name them. */
export function Approvers({ skill }: SkillProps) {
  const { id } = skill.entry;
  const isAdmin = useIsAdmin();
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/approvers", { params: { id } });
  const change = useChange("PUT /v1/skills/{id}/approvers", [
    "GET /v1/skills/{id}/approvers",
    "GET /v1/approvals",
  ]);
  const set = (approvers: readonly string[], done: string) =>
    change.mutate(
      { params: { id }, body: { approvers: [...approvers] } },
      { onSuccess: () => toast(done), onError: toastFailure },
    );
  const named = data?.approvers ?? [];
  return (
    <Panel title="Approvers">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={1} />}
      {data !== undefined && (
        <div className="space-y-3 px-4 py-3 text-sm">
          <p className="text-muted">
            {named.length === 0
              ? `Runs that need an approval are answered by ${skill.registry?.system === true ? "administrators" : "the owner, by users who manage the skill, and by administrators"}.`
              : "Only these users and administrators answer runs that need an approval."}
          </p>
          {named.length > 0 && (
            <ul aria-label="Named approvers" className="flex flex-wrap gap-2">
              {named.map((user) => (
                <li key={user} className="inline-flex items-center">
                  <Badge tone="accent">{user}</Badge>
                  {isAdmin && (
                    <IconButton
                      icon={X}
                      label={`Remove the approver ${user}`}
                      onClick={() =>
                        set(
                          named.filter((each) => each !== user),
                          `${user} is no longer an approver`,
                        )
                      }
                    />
                  )}
                </li>
              ))}
            </ul>
          )}
          {isAdmin && (
            <NewApprover
              isBusy={change.isPending}
              onAdd={(user) => set([...named, user], `${user} is an approver`)}
            />
          )}
        </div>
      )}
    </Panel>
  );
}

interface NewApproverProps {
  readonly isBusy: boolean;
  readonly onAdd: (user: string) => void;
}

function NewApprover({ isBusy, onAdd }: NewApproverProps) {
  const [name, setName] = useState("");
  const { data } = useApi("GET /v1/users");
  const list = useId();
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === "") return;
        onAdd(name.trim());
        setName("");
      }}
    >
      <Field label="User">
        <Input
          list={list}
          value={name}
          placeholder="Name"
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setName(target.value)}
        />
        <datalist id={list}>
          {data?.users
            .filter((user) => !user.name.startsWith("agent:"))
            .map((user) => (
              <option key={user.name} value={user.name}>
                {user.displayName}
              </option>
            ))}
        </datalist>
      </Field>
      <Button type="submit" icon={Plus} isBusy={isBusy}>
        Add approver
      </Button>
    </form>
  );
}
