import { SkillError } from "@skillhold/protocol/error";

/** Nobody is let in. Of a token that was sent it says nothing but that it lets nobody in. */
export function unauthenticated(hasToken: boolean): SkillError {
  const message = hasToken ? "The token is unknown, expired or revoked." : "No token was sent.";
  return new SkillError("UNAUTHENTICATED", message);
}
