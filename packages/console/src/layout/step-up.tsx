import { Fingerprint } from "lucide-react";
import { useEffect, useState } from "react";
import { type ApiError, call } from "../api/client.ts";
import { confirmation } from "../api/confirmation.ts";
import { findPasskeyOrigin, signInWithPasskey } from "../api/passkey.ts";
import { useMe } from "../api/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/state.tsx";

/** Asks for a passkey when an act needs a recent sign-in. Without a passkey here, the act fails with its own error. */
export function StepUp() {
  const { user } = useMe();
  const [finish, setFinish] = useState<(isConfirmed: boolean) => void>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  useEffect(
    () =>
      confirmation.answerBy(async () => {
        if (!(await hasPasskey())) return false;
        return await new Promise<boolean>((resolve) => setFinish(() => resolve));
      }),
    [],
  );
  const end = (isConfirmed: boolean) => {
    finish?.(isConfirmed);
    setFinish(undefined);
    setError(undefined);
  };
  const confirm = async () => {
    setBusy(true);
    try {
      const answer = await signInWithPasskey(true);
      if (answer.user !== user) window.location.reload();
      end(true);
    } catch (failure) {
      // Every error of a call is an ApiError.
      setError(failure as ApiError);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen={finish !== undefined}
      onClose={() => end(false)}
      title="Confirm your identity"
      footer={
        <>
          <Button onClick={() => end(false)}>Cancel</Button>
          <Button look="primary" icon={Fingerprint} isBusy={isBusy} onClick={() => void confirm()}>
            Use a passkey
          </Button>
        </>
      }
    >
      <p className="text-sm">You signed in some time ago. Confirm this with a passkey of {user}.</p>
      {error !== undefined && <Failure error={error} isCompact />}
    </Dialog>
  );
}

async function hasPasskey(): Promise<boolean> {
  try {
    if ((await findPasskeyOrigin()) !== window.location.origin) return false;
    return (await call("GET /v1/passkeys", {})).passkeys.length > 0;
  } catch {
    return false;
  }
}
