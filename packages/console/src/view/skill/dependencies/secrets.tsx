import { KeyRound, Trash2 } from "lucide-react";
import { useState } from "react";
import { useIsAdmin } from "../../../api/session.tsx";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../../ui/state.tsx";
import { Ago, Mono } from "../../../ui/text.tsx";
import { toast, toastFailure } from "../../../ui/toast.tsx";
import type { SkillProps } from "../skill-view.ts";

const routes = ["GET /v1/secrets", "GET /v1/skills", "GET /v1/skills/{id}"] as const;

/** The secrets that scripts of the skill get as variables. Values are set here and never shown. */
export function Secrets({ skill }: SkillProps) {
  const isAdmin = useIsAdmin();
  const { id, readiness } = skill.entry;
  const { data, error, refetch } = useApi("GET /v1/secrets", undefined, { enabled: isAdmin });
  const remove = useChange("DELETE /v1/secrets/{id}/{name}", routes);
  if (!isAdmin) return null;
  const own = data?.secrets.filter((each) => each.skill === id) ?? [];
  const missing = variablesIn(readiness.reasons).filter((name) => !own.some((each) => each.name === name));
  return (
    <Panel title="Secrets">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows count={1} />}
      <ul className="divide-y divide-line">
        {own.map(({ name, agent, updatedAt }) => (
          <li key={`${name} ${agent}`} className="flex items-center gap-3 px-4 py-2 text-sm">
            <KeyRound className="size-4 shrink-0 text-muted" aria-hidden />
            <Mono className="min-w-0 flex-1 break-all">
              {name}
              {agent !== undefined && ` for ${agent}`}
            </Mono>
            {updatedAt !== undefined && (
              <span className="text-xs text-muted">
                set <Ago at={updatedAt} />
              </span>
            )}
            <IconButton
              icon={Trash2}
              label={`Remove the secret ${name}`}
              onClick={() =>
                remove.mutate(
                  { params: { id, name }, query: agent === undefined ? {} : { agent } },
                  { onSuccess: () => toast(`${name} removed`), onError: toastFailure },
                )
              }
            />
          </li>
        ))}
      </ul>
      <SecretForm key={missing[0]} id={id} name={missing[0] ?? ""} />
    </Panel>
  );
}

/** Variables that the reasons of a skill name, such as "the environment variable API_KEY is not set". */
export function variablesIn(reasons: readonly string[]): readonly string[] {
  return reasons.flatMap((reason) => /variable `?([A-Z][A-Z0-9_]*)`?/.exec(reason)?.[1] ?? []);
}

function SecretForm({ id, name: given }: { readonly id: string; readonly name: string }) {
  const [name, setName] = useState(given);
  const [value, setValue] = useState("");
  const put = useChange("PUT /v1/secrets/{id}/{name}", routes);
  const isReady = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && value !== "";
  const send = () =>
    put.mutate(
      { params: { id, name }, body: { value } },
      {
        onSuccess: () => {
          toast(`${name} set`);
          setName("");
          setValue("");
        },
      },
    );
  return (
    <form
      className="flex flex-wrap items-end gap-3 border-t border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) send();
      }}
    >
      <div className="w-56 max-w-full">
        <Field label="Variable">
          <Input
            value={name}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
            className="font-mono"
          />
        </Field>
      </div>
      <div className="w-72 max-w-full">
        <Field label="Value">
          <Input
            type="password"
            value={value}
            autoComplete="new-password"
            onChange={({ target }) => setValue(target.value)}
          />
        </Field>
      </div>
      <Button type="submit" look="primary" isBusy={put.isPending} disabled={!isReady}>
        Set
      </Button>
      {put.error !== null && <Failure error={put.error} isCompact />}
    </form>
  );
}
