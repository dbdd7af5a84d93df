import { Fingerprint, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { type Answer, ApiError } from "../../api/client.ts";
import { createPasskey } from "../../api/passkey.ts";
import { queries, useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Panel } from "../../ui/page.tsx";
import { SafeLink } from "../../ui/safe-link.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";

/** The passkeys of the signed-in user. */
export function Passkeys() {
  const [isAdding, setAdding] = useState(false);
  const { data: methods } = useApi("GET /v1/sign-in/methods");
  const origin = methods?.passkeyOrigin;
  const isHere = origin === window.location.origin;
  return (
    <Panel
      title="Passkeys"
      actions={
        isHere && (
          <Button icon={Plus} onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        )
      }
    >
      {methods !== undefined && !isHere && <Elsewhere origin={origin} />}
      <PasskeyList />
      <NewPasskey isOpen={isAdding} onClose={() => setAdding(false)} />
    </Panel>
  );
}

function Elsewhere({ origin }: { readonly origin: string | undefined }) {
  return (
    <p className="px-4 py-3 text-sm text-muted">
      {origin === undefined ? (
        "Passkeys need a gateway with a name and TLS. Ask its operator."
      ) : (
        <>
          Passkeys work at <SafeLink href={origin}>{origin}</SafeLink>.
        </>
      )}
    </p>
  );
}

type Passkey = Answer<"GET /v1/passkeys">["passkeys"][number];

/** The passkeys of a user: by default, of the signed-in one. */
export function PasskeyList({ user }: { readonly user?: string }) {
  const [removing, setRemoving] = useState<Passkey>();
  const { data, error, refetch } = useApi("GET /v1/passkeys", { query: user === undefined ? {} : { user } });
  const remove = useChange("DELETE /v1/passkeys/{passkey}", ["GET /v1/passkeys"]);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={1} />;
  const confirm = ({ id, name }: Passkey) =>
    remove.mutate(
      { params: { passkey: id } },
      { onSuccess: () => toast(`${name} removed`), onError: toastFailure },
    );
  return (
    <>
      {data.passkeys.length === 0 ? (
        <Empty icon={Fingerprint} title="No passkeys">
          {user === undefined
            ? "Add one to sign in with a fingerprint, a face, a PIN or a security key."
            : `${user} signs in with a link.`}
        </Empty>
      ) : (
        <Table
          label="Passkeys"
          columns={columnsWith(setRemoving)}
          rows={data.passkeys}
          keyOf={({ id }) => id}
        />
      )}
      <Confirm
        isOpen={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => {
          if (removing !== undefined) confirm(removing);
          setRemoving(undefined);
        }}
        title={`Remove ${removing?.name ?? ""}`}
        text="It can no longer be used to sign in. Browsers that are signed in stay so."
        action="Remove"
      />
    </>
  );
}

function columnsWith(onRemove: (passkey: Passkey) => void): readonly Column<Passkey>[] {
  return [
    { title: "Name", show: ({ name }) => <span className="font-medium break-words">{name}</span> },
    { title: "Added", isMinor: true, show: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      title: "Last used",
      show: ({ lastUsedAt }) =>
        lastUsedAt === undefined ? <span className="text-muted">never</span> : <Ago at={lastUsedAt} />,
    },
    {
      title: "Remove",
      isAction: true,
      show: (passkey) => (
        <Button
          look="danger"
          icon={Trash2}
          aria-label={`Remove ${passkey.name}`}
          onClick={() => onRemove(passkey)}
        >
          <span className="max-sm:sr-only">Remove</span>
        </Button>
      ),
    },
  ];
}

function NewPasskey({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const close = () => {
    setName("");
    setError(null);
    onClose();
  };
  const add = async () => {
    setBusy(true);
    setError(null);
    try {
      await createPasskey(name.trim());
      toast("Passkey added");
      close();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError({ code: "INTERNAL" }));
    } finally {
      setBusy(false);
      void queries.invalidateQueries({ queryKey: ["GET /v1/passkeys"] });
    }
  };
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={close}
      title="Add passkey"
      action="Add"
      onSubmit={() => void add()}
      isReady={name.trim() !== ""}
      isBusy={isBusy}
      error={error}
    >
      <Field label="Name" note="Where the passkey is, such as laptop or blue security key.">
        <Input value={name} onChange={({ target }) => setName(target.value)} maxLength={128} />
      </Field>
    </FormDialog>
  );
}
