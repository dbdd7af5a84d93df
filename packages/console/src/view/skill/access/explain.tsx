import { CircleCheck, CircleMinus } from "lucide-react";
import type { Answer } from "../../../api/client.ts";
import { type Looking, lookingAs } from "../../../api/looking.ts";
import { useIsAdmin } from "../../../api/session.tsx";
import { useAgent } from "../../../api/use-agent.ts";
import { useApi } from "../../../api/use-api.ts";
import { AgentSelect } from "../../../ui/agent-select.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Failure, Skeleton } from "../../../ui/state.tsx";
import { given, useAddress } from "../../../ui/use-address.ts";
import { useDelayed } from "../../../ui/use-delayed.ts";
import type { SkillProps } from "../skill-view.ts";
import { ruleWords } from "./access-rule.ts";

/** Whether a user or agent can see the skill, and by which rule. */
export function Explain({ skill }: SkillProps) {
  const [read, write] = useAddress();
  const isAdmin = useIsAdmin();
  // Only administrators look through the eyes of other people.
  const asked = { agent: useAgent(), user: isAdmin ? read("user") : "", runtime: read("runtime") };
  const runtime = useDelayed(asked.runtime, 200);
  const looking = lookingAs(asked.agent);
  return (
    <Panel title="Who can see this, and why">
      <div className="grid gap-4 p-4 sm:grid-cols-3">
        <AgentSelect value={asked.agent} onChange={(agent) => write("agent", agent)} />
        {isAdmin && (
          <UserSelect
            value={asked.user}
            isAgent={asked.agent !== ""}
            onChange={(user) => write("user", user)}
          />
        )}
        <Field label="Runtime">
          <Input
            value={asked.runtime}
            placeholder="Any"
            spellCheck={false}
            onChange={({ target }) => write("runtime", target.value)}
          />
        </Field>
      </div>
      <Answered id={skill.entry.id} query={{ ...looking, ...given({ user: asked.user, runtime }) }} />
    </Panel>
  );
}

interface UserSelectProps {
  readonly value: string;
  /** An agent acts for no person by default. */
  readonly isAgent: boolean;
  readonly onChange: (user: string) => void;
}

function UserSelect({ value, isAgent, onChange }: UserSelectProps) {
  const { data } = useApi("GET /v1/users");
  return (
    <Field label="On behalf of">
      <Select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">{isAgent ? "No person" : "Myself"}</option>
        {data?.users.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    </Field>
  );
}

interface AnsweredProps {
  readonly id: string;
  /** Undefined while it is not known through whose eyes. */
  readonly query: (Looking & { readonly runtime?: string }) | undefined;
}

function Answered({ id, query }: AnsweredProps) {
  const { data, error, refetch } = useApi(
    "GET /v1/skills/{id}/access",
    { params: { id }, query: { ...query } },
    { keep: true, enabled: query !== undefined },
  );
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="m-4 h-12" />;
  return <Decision access={data} />;
}

function Decision({ access }: { readonly access: Answer<"GET /v1/skills/{id}/access"> }) {
  const { isVisible, message, rule, revision, warnings } = access;
  const Icon = isVisible ? CircleCheck : CircleMinus;
  return (
    <div aria-live="polite" className="flex items-start gap-3 border-t border-line px-4 py-3 text-sm">
      <Icon className={`mt-0.5 size-4 shrink-0 ${isVisible ? "text-good" : "text-warn"}`} aria-hidden />
      <div className="min-w-0 space-y-1">
        <p>
          <span className="font-medium">{isVisible ? `Yes, at r${revision}.` : "No."}</span> {message}
        </p>
        {rule !== undefined && <p className="text-muted">{ruleWords(rule)}</p>}
        {warnings.map((warning) => (
          <p key={warning} className="text-warn">
            {warning}
          </p>
        ))}
      </div>
    </div>
  );
}
