import { hash } from "node:crypto";
import type { NewCredential, PasskeyAssertion } from "@skillhold/protocol/http";
import type { PasskeyRecord } from "@skillhold/registry/record";
import type { RelyingParty } from "./relying-party.ts";

/** The WebAuthn library is loaded on first use, because most gateways start without it. */
const library = async () => await import("@simplewebauthn/server");

const TIMEOUT_MS = 120_000;
/** Ed25519, ES256 and RS256, which cover the authenticators in use. */
const ALGORITHMS = [-8, -7, -257];

/** The handle by which an authenticator names a user. Not the name, which a stolen authenticator would reveal. */
export function userHandle(user: string): string {
  return hash("sha256", `skillhold passkey user ${user}`, "base64url");
}

/** Options to create a credential that names its user by itself and verifies them. */
export async function creationOptions(
  user: string,
  existing: readonly Pick<PasskeyRecord, "credential" | "transports">[],
  party: RelyingParty,
) {
  const { generateRegistrationOptions } = await library();
  return await generateRegistrationOptions({
    rpName: "Skillhold",
    rpID: party.id,
    userName: user,
    userDisplayName: user,
    userID: new Uint8Array(Buffer.from(userHandle(user), "base64url")),
    timeout: TIMEOUT_MS,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map(descriptor),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Options to use any credential of this gateway, or only the given ones. */
export async function requestOptions(
  party: RelyingParty,
  allowed?: readonly Pick<PasskeyRecord, "credential" | "transports">[],
) {
  const { generateAuthenticationOptions } = await library();
  return await generateAuthenticationOptions({
    rpID: party.id,
    timeout: TIMEOUT_MS,
    userVerification: "required",
    ...(allowed === undefined ? {} : { allowCredentials: allowed.map(descriptor) }),
  });
}

function descriptor({ credential, transports }: Pick<PasskeyRecord, "credential" | "transports">) {
  return { id: credential, transports: [...transports] };
}

export type CheckedCredential = Pick<PasskeyRecord, "credential" | "publicKey" | "counter" | "transports">;

/** The key of a new credential; undefined if any part of it is wrong. */
export async function checkCreation(
  response: NewCredential,
  challenge: string,
  { id, origin }: RelyingParty,
): Promise<CheckedCredential | undefined> {
  const { verifyRegistrationResponse } = await library();
  const checked = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined);
  if (checked?.verified !== true) return undefined;
  const { credential } = checked.registrationInfo;
  return {
    credential: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: response.response.transports,
  };
}

/** The signature counter of an assertion by the passkey; undefined if any part of it is wrong. */
export async function checkAssertion(
  response: PasskeyAssertion,
  passkey: PasskeyRecord,
  challenge: string,
  { id, origin }: RelyingParty,
): Promise<number | undefined> {
  const { userHandle: handle } = response.response;
  if (handle !== userHandle(passkey.user)) return undefined;
  const { verifyAuthenticationResponse } = await library();
  const checked = await verifyAuthenticationResponse({
    response: { ...response, response: { ...response.response, userHandle: handle } },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: {
      id: passkey.credential,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
      counter: passkey.counter,
    },
  }).catch(() => undefined);
  return checked?.verified === true ? checked.authenticationInfo.newCounter : undefined;
}
