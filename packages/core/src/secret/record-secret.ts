import { type Actor, SkillError, SkillId } from "@skillhold/protocol";
import type { AuditSink, Clock } from "../port.ts";
import type { SecretScope, SecretStore } from "./secret.ts";
import { checkSecretName, checkSecretScope, checkSecretValue } from "./secret-name.ts";

/** Where secrets are, and where it is recorded who sets them. */
export interface RecordedSecrets {
  readonly secrets: SecretStore;
  /** Durable before it resolves. */
  readonly audit: AuditSink;
  readonly clock: Clock;
}

/**
 * Sets a secret that is on record by then. In this order the log may name one that was never set, for what comes after
 * the record may fail; in no case is there one that the log does not name.
 */
export async function setSecret(
  scope: SecretScope,
  name: string,
  value: string,
  { by }: { readonly by: Actor },
  { secrets, audit, clock }: RecordedSecrets,
): Promise<void> {
  checkSecretScope(scope);
  checkSecretName(name);
  checkSecretValue(name, value);
  const { success, data: skill } = SkillId.safeParse(scope.skill);
  if (!success) throw new SkillError("USAGE", "A secret is for a skill, and that is not the id of one.");
  await audit.record({ type: "secret.set", at: clock.now().toISOString(), by, ...scope, skill, name });
  await secrets.set(scope, name, value);
}

/**
 * Forgets a secret, then records it. Where the record fails the secret is gone all the same, whoever asked is told, and
 * the log goes on naming it: whoever can find out before that it will fail does so. False when there was none.
 */
export async function removeSecret(
  scope: SecretScope,
  name: string,
  { by }: { readonly by: Actor },
  { secrets, audit, clock }: RecordedSecrets,
): Promise<boolean> {
  const at = clock.now().toISOString();
  if (!(await secrets.remove(scope, name))) return false;
  const { success, data: skill } = SkillId.safeParse(scope.skill);
  // What is kept under anything else is on no record, and no run gets it.
  if (success) await audit.record({ type: "secret.removed", at, by, ...scope, skill, name });
  return true;
}
