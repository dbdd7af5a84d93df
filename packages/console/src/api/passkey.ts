import { type Answer, ApiError, call, csrf } from "./client.ts";

/** Creates a passkey for the signed-in user and registers it. */
export async function createPasskey(name: string): Promise<Answer<"POST /v1/passkeys">> {
  const { options } = await call("POST /v1/passkeys/options");
  // The gateway makes the options in the form that the browser reads.
  const json = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const credential = await asked(() =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json) }),
  );
  return await call("POST /v1/passkeys", { body: { name, credential } });
}

/** Signs in with a passkey: of any user, or only of the signed-in one. */
export async function signInWithPasskey(confirm: boolean): Promise<Answer<"POST /v1/sign-in/passkey">> {
  const { options } = await call("POST /v1/sign-in/passkey/options", { body: { confirm } });
  // The gateway makes the options in the form that the browser reads.
  const json = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const credential = await asked(() =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(json) }),
  );
  const answer = await call("POST /v1/sign-in/passkey", { body: { credential } });
  csrf.keep(answer.csrf);
  return answer;
}

/** Whether passkeys work on this page. */
export async function findPasskeyOrigin(): Promise<string | undefined> {
  if (typeof PublicKeyCredential?.parseRequestOptionsFromJSON !== "function") return undefined;
  return (await call("GET /v1/sign-in/methods")).passkeyOrigin;
}

/** The credential as JSON. Its form is checked by the gateway. */
async function asked(ask: () => Promise<Credential | null>): Promise<never> {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential.toJSON() as never;
  } catch (error) {
    if (error instanceof DOMException && error.name === "InvalidStateError")
      throw new ApiError({
        code: "CONFLICT",
        detail: "This device has a passkey for you already.",
        hint: "Sign in with it, or use another device.",
      });
  }
  throw new ApiError({
    code: "INTERRUPTED",
    detail: "The browser returned no passkey.",
    hint: "Try again, or use another device.",
  });
}
