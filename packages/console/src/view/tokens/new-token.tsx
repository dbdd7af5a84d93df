import type { Role } from "@skillhold/protocol";
import { useState } from "react";
import type { Answer } from "../../api/client.ts";
import { useMe } from "../../api/session.tsx";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TokenSecret } from "./token-secret.tsx";

const roles: Readonly<Record<Role, string>> = {
  agent: "Reads, searches and runs what its agent can use.",
  viewer: "Read-only access to what its user can see.",
  publisher: "Publishes skills and manages its user's own.",
  admin: "Full access, including approvals and tokens.",
};
const days = [7, 30, 90, 365] as const;
const DAY_MS = 86_400_000;

interface Draft {
  readonly name: string;
  readonly role: Role;
  readonly agent: string;
  readonly user: string;
  readonly days: number;
}

const empty: Draft = { name: "", role: "agent", agent: "", user: "", days: 90 };

export interface NewTokenProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Whom it is for, when that is known; empty when not. */
  readonly agent: string;
}

/** Issues a token, and shows its secret once. */
export function NewToken({ isOpen, onClose, agent: given }: NewTokenProps) {
  const [typed, setTyped] = useState<Partial<Draft>>({});
  const { role: own } = useMe();
  const draft: Draft = { ...empty, role: own === "viewer" ? "viewer" : "agent", agent: given, ...typed };
  const [issued, setIssued] = useState<Answer<"POST /v1/tokens">>();
  const issue = useChange("POST /v1/tokens", ["GET /v1/tokens"]);
  const close = () => {
    setTyped({});
    setIssued(undefined);
    issue.reset();
    onClose();
  };
  const send = () => {
    const { name, role, agent, user } = draft;
    const body = {
      name,
      role,
      expiresInMs: draft.days * DAY_MS,
      ...(agent === "" ? {} : { agent }),
      ...(user === "" ? {} : { user }),
    };
    issue.mutate({ body }, { onSuccess: setIssued });
  };
  if (issued !== undefined)
    return (
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="Your new token"
        isKept
        footer={
          <Button look="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <TokenSecret secret={issued.secret} role={issued.token.role} />
      </Dialog>
    );
  const isReady = draft.name.trim() !== "" && (draft.role !== "agent" || draft.agent !== "");
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={close}
      title="New token"
      action="Create"
      onSubmit={send}
      isReady={isReady}
      isBusy={issue.isPending}
      error={issue.error}
    >
      <TokenFields draft={draft} onChange={(change) => setTyped({ ...typed, ...change })} />
    </FormDialog>
  );
}

interface TokenFieldsProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The roles that a user of each role may give. */
const issuable: Readonly<Record<Role, readonly Role[]>> = {
  admin: ["agent", "viewer", "publisher", "admin"],
  publisher: ["agent", "viewer", "publisher"],
  viewer: ["viewer"],
  agent: [],
};

function TokenFields({ draft, onChange }: TokenFieldsProps) {
  const { role: own } = useMe();
  const isAdmin = own === "admin";
  const { data } = useApi("GET /v1/agents", undefined, { enabled: own !== "viewer" });
  return (
    <>
      <Field label="Name" note="For example, the program that uses it.">
        <Input
          value={draft.name}
          onChange={({ target }) => onChange({ name: target.value })}
          maxLength={256}
        />
      </Field>
      <Field label="Role" note={roles[draft.role]}>
        {/* The options are the roles. */}
        <Select value={draft.role} onChange={({ target }) => onChange({ role: target.value as Role })}>
          {issuable[own].map((role) => (
            <option key={role}>{role}</option>
          ))}
        </Select>
      </Field>
      {own !== "viewer" && (
        <Field label="Agent" note={draft.role === "agent" ? "Whose skills it gets." : "Optional."}>
          <Select value={draft.agent} onChange={({ target }) => onChange({ agent: target.value })}>
            <option value="">{draft.role === "agent" ? "Select an agent" : "None"}</option>
            {data?.agents.map(({ key, displayName }) => (
              <option key={key} value={key}>
                {displayName === key ? key : `${displayName} (${key})`}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {isAdmin && (
        <Field
          label="User"
          note={
            draft.role === "agent"
              ? "Optional. Without a user, the agent sees only public skills and its own grants."
              : "Defaults to you."
          }
        >
          <Input
            value={draft.user}
            onChange={({ target }) => onChange({ user: target.value })}
            maxLength={256}
          />
        </Field>
      )}
      <Field label="Expires after">
        <Select value={draft.days} onChange={({ target }) => onChange({ days: Number(target.value) })}>
          {days.map((each) => (
            <option key={each} value={each}>
              {each} days
            </option>
          ))}
        </Select>
      </Field>
    </>
  );
}
