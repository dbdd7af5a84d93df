import { Fingerprint, LogIn } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { ApiError, call } from "../api/client.ts";
import { confirmation } from "../api/confirmation.ts";
import { findPasskeyOrigin, signInWithPasskey } from "../api/passkey.ts";
import { useMe } from "../api/session.tsx";
import { confirmWithSso } from "../api/sso.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/state.tsx";

/** The ways in which the user can prove their identity here. */
interface Ways {
  readonly hasPasskey: boolean;
  /** The name of the single sign-on provider. */
  readonly sso: string | undefined;
}

interface Asked extends Ways {
  readonly finish: (isConfirmed: boolean) => void;
}

/** Asks for a passkey or a sign-in at the provider when an act needs a recent one. Without either, the act fails with its own error. */
export function StepUp() {
  const { user } = useMe();
  const [asked, setAsked] = useState<Asked>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  useEffect(
    () =>
      confirmation.answerBy(async () => {
        const ways = await findWays();
        if (!ways.hasPasskey && ways.sso === undefined) return false;
        return await new Promise<boolean>((finish) => setAsked({ ...ways, finish }));
      }),
    [],
  );
  const waiting = useRef(new AbortController());
  const end = (isConfirmed: boolean) => {
    waiting.current.abort();
    asked?.finish(isConfirmed);
    setAsked(undefined);
    setError(undefined);
  };
  const confirm = async (prove: (signal: AbortSignal) => Promise<string>) => {
    const controller = new AbortController();
    waiting.current = controller;
    setBusy(true);
    setError(undefined);
    try {
      if ((await prove(controller.signal)) !== user) window.location.reload();
      end(true);
    } catch (failure) {
      if (controller.signal.aborted) return;
      setError(failure instanceof ApiError ? failure : new ApiError({ code: "INTERNAL" }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen={asked !== undefined}
      onClose={() => end(false)}
      title="Confirm your identity"
      footer={
        <>
          <Button onClick={() => end(false)}>Cancel</Button>
          {asked?.sso !== undefined && (
            <Button
              look={asked.hasPasskey ? "plain" : "primary"}
              icon={LogIn}
              isBusy={isBusy}
              onClick={() => void confirm(confirmWithSso)}
            >
              Continue with {asked.sso}
            </Button>
          )}
          {asked?.hasPasskey === true && (
            <Button
              look="primary"
              icon={Fingerprint}
              isBusy={isBusy}
              onClick={() => void confirm(async () => (await signInWithPasskey(true)).user)}
            >
              Use a passkey
            </Button>
          )}
        </>
      }
    >
      <p className="text-sm">You signed in some time ago. Confirm that you are {user}.</p>
      {error !== undefined && <Failure error={error} isCompact />}
    </Dialog>
  );
}

async function findWays(): Promise<Ways> {
  try {
    const { sso } = await call("GET /v1/sign-in/methods");
    const isHere = (await findPasskeyOrigin()) === window.location.origin;
    const hasPasskey = isHere && (await call("GET /v1/passkeys", {})).passkeys.length > 0;
    return { hasPasskey, sso };
  } catch {
    return { hasPasskey: false, sso: undefined };
  }
}
