import type { SignInRole } from "@skillhold/protocol";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { PasskeyList } from "../settings/passkeys.tsx";
import { roles } from "./invitation.tsx";
import type { Person } from "./person.ts";

export interface PersonDialogProps {
  /** Closed without one. */
  readonly person: Person | undefined;
  readonly onClose: () => void;
}

/** The role and the passkeys of another person. */
export function PersonDialog({ person, onClose }: PersonDialogProps) {
  const change = useChange("PUT /v1/users/{user}", ["GET /v1/users", "GET /v1/tokens"]);
  const setRole = (name: string, role: SignInRole) =>
    change.mutate(
      { params: { user: name }, body: { role } },
      { onSuccess: () => toast(`${name} has the role ${role}`), onError: toastFailure },
    );
  return (
    <Dialog
      isOpen={person !== undefined}
      onClose={onClose}
      title={person?.name ?? ""}
      footer={<Button onClick={onClose}>Done</Button>}
    >
      {person !== undefined && (
        <div className="space-y-4">
          <Field
            label="Role"
            note="A lower role revokes their tokens with a higher one. They have it from the next sign-in."
          >
            <Select
              value={person.nextRole ?? ""}
              disabled={change.isPending}
              // The options are the roles.
              onChange={({ target }) => setRole(person.name, target.value as SignInRole)}
            >
              {person.nextRole === undefined && (
                <option value="" disabled>
                  never signed in
                </option>
              )}
              {Object.keys(roles).map((each) => (
                <option key={each}>{each}</option>
              ))}
            </Select>
          </Field>
          <div className="rounded-lg border border-line">
            <PasskeyList user={person.name} />
          </div>
        </div>
      )}
    </Dialog>
  );
}
