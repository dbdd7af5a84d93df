export { type IdentityRules, type ProvenIdentity, useIdentity } from "./identities.ts";
export { addPasskey, type NewPasskey, type PasskeyUse, removePasskey, usePasskey } from "./passkeys.ts";
export { beginAttempt, takeAttempt } from "./sign-in-attempt.ts";
export { changeUser, type UserChange } from "./users.ts";
