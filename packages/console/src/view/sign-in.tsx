import { Fingerprint, LogIn } from "lucide-react";
import { useState } from "react";
import { ApiError, call } from "../api/client.ts";
import { signInWithPasskey } from "../api/passkey.ts";
import { useApi } from "../api/use-api.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/state.tsx";
import { Mono } from "../ui/text.tsx";

/** Shown to visitors who are not signed in: a passkey or a single-use link signs them in. */
export function SignIn() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-4 px-6">
      <img src="/icon.svg" alt="" className="size-10" />
      <h1 className="text-xl font-semibold tracking-tight">Sign in to Skillhold</h1>
      <PasskeyButton />
      <SsoButton />
      <p className="text-muted">
        Open the link that the gateway printed when it started. It works once; on the gateway's machine, get
        another with
      </p>
      <pre className="rounded-lg border border-line bg-panel p-3 font-mono text-sm break-all whitespace-pre-wrap">
        skillhold token sign-in --url {window.location.origin}
      </pre>
      <p className="text-sm text-muted">
        The command must use the store of the gateway: add its <Mono>--store</Mono>, or put{" "}
        <Mono>SKILLHOLD_DATA=&lt;folder&gt;</Mono> before it for its <Mono>--data</Mono> folder. The gateway
        prints the whole command when it starts.
      </p>
      <p className="text-sm text-muted">
        From another machine, ask the gateway's administrator. For programs, use{" "}
        <Mono>skillhold token create</Mono>.
      </p>
    </main>
  );
}

/** Shown only where passkeys work. */
function PasskeyButton() {
  const { data } = useApi("GET /v1/sign-in/methods");
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  if (data?.passkeyOrigin !== window.location.origin) return null;
  const signIn = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await signInWithPasskey(false);
      window.location.reload();
    } catch (failure) {
      setBusy(false);
      setError(failure instanceof ApiError ? failure : new ApiError({ code: "INTERNAL" }));
    }
  };
  return (
    <div className="space-y-2">
      <Button look="primary" icon={Fingerprint} isBusy={isBusy} onClick={() => void signIn()}>
        Sign in with a passkey
      </Button>
      {error !== undefined && <Failure error={error} isCompact />}
    </div>
  );
}

/** Shown only at a gateway with a single sign-on provider. */
function SsoButton() {
  const { data } = useApi("GET /v1/sign-in/methods");
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  if (data?.sso === undefined) return null;
  const signIn = async () => {
    setBusy(true);
    setError(undefined);
    try {
      window.location.assign((await call("POST /v1/sign-in/sso/start", { body: {} })).url);
    } catch (failure) {
      setBusy(false);
      setError(failure instanceof ApiError ? failure : new ApiError({ code: "INTERNAL" }));
    }
  };
  return (
    <div className="space-y-2">
      <Button icon={LogIn} isBusy={isBusy} onClick={() => void signIn()}>
        Sign in with {data.sso}
      </Button>
      {error !== undefined && <Failure error={error} isCompact />}
    </div>
  );
}
