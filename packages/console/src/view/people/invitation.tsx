import type { SignInRole } from "@skillhold/protocol";
import { useState } from "react";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Ago, CopyText } from "../../ui/text.tsx";

export const roles: Readonly<Record<SignInRole, string>> = {
  viewer: "Read-only access to what they can see.",
  publisher: "Publishes skills and manages their own.",
  admin: "Full access, including approvals and invitations.",
};

export interface InvitationProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The name in the address; empty for none. */
  readonly user: string;
}

/** Makes a link with which a person signs in, once. */
export function Invitation({ isOpen, onClose, user: given }: InvitationProps) {
  const [typed, setUser] = useState<string>();
  const user = typed ?? given;
  const [role, setRole] = useState<SignInRole>("viewer");
  const [made, setMade] = useState<Answer<"POST /v1/sign-in-codes">>();
  const invite = useChange("POST /v1/sign-in-codes", ["GET /v1/sign-in-codes"]);
  const close = () => {
    setUser(undefined);
    setRole("viewer");
    setMade(undefined);
    invite.reset();
    onClose();
  };
  if (made !== undefined)
    return (
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={`Sign-in link for ${made.user}`}
        isKept
        footer={
          <Button look="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <SignInLink {...made} />
      </Dialog>
    );
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={close}
      title="Invite person"
      action="Create link"
      onSubmit={() => invite.mutate({ body: { user: user.trim(), role } }, { onSuccess: setMade })}
      isReady={user.trim() !== ""}
      isBusy={invite.isPending}
      error={invite.error}
    >
      <Field label="User" note="The name used for grants, such as ann.">
        <Input value={user} onChange={({ target }) => setUser(target.value)} maxLength={256} />
      </Field>
      <Field label="Role" note={roles[role]}>
        {/* The options are the roles. */}
        <Select value={role} onChange={({ target }) => setRole(target.value as SignInRole)}>
          {Object.keys(roles).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
}

function SignInLink({ code, user, role, expiresAt }: Answer<"POST /v1/sign-in-codes">) {
  return (
    <div className="space-y-4 text-sm">
      <p>
        The first person who opens it signs in as {user} with the role {role}. It works once and expires{" "}
        <Ago at={expiresAt} />.
      </p>
      <div className="rounded-md border border-line-strong bg-raised p-2">
        <CopyText text={`${window.location.origin}/sign-in#${code}`} label="the link" />
      </div>
    </div>
  );
}
