import type { Actor, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { AuditSink, Clock } from "../port.ts";
import type { SecretScope, SecretStore } from "./secret.ts";
import { checkSecretName, checkSecretScope, checkSecretValue } from "./secret-name.ts";

/** The secret store, and the audit sink that records who sets secrets. */
export interface RecordedSecrets {
  readonly secrets: SecretStore;
  /** Durable before it resolves. */
  readonly audit: AuditSink;
  readonly clock: Clock;
}

/**
 * Records a secret, then sets it. If setting fails, the log names a secret that was never set; the store never has a
 * secret that the log does not name.
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
  const skill = await readSkillId(scope.skill);
  if (skill === undefined)
    throw new SkillError("USAGE", "A secret is for a skill, and that is not the id of one.");
  await audit.record({ type: "secret.set", at: clock.now().toISOString(), by, ...scope, skill, name });
  await secrets.set(scope, name, value);
}

/**
 * Removes a secret, then records the removal. If recording fails, this throws, the secret stays removed, and the log
 * still names it; a caller that can detect the failure in advance should do so. Returns false if the secret does not
 * exist.
 */
export async function removeSecret(
  scope: SecretScope,
  name: string,
  { by }: { readonly by: Actor },
  { secrets, audit, clock }: RecordedSecrets,
): Promise<boolean> {
  const at = clock.now().toISOString();
  if (!(await secrets.remove(scope, name))) return false;
  const skill = await readSkillId(scope.skill);
  // A secret under an invalid skill id was never recorded, and no run can read it.
  if (skill !== undefined) await audit.record({ type: "secret.removed", at, by, ...scope, skill, name });
  return true;
}

/** Every command loads this folder, and few need the schemas. */
async function readSkillId(id: string): Promise<SkillId | undefined> {
  const protocol = await import("@skillhold/protocol");
  return protocol.SkillId.safeParse(id).data;
}
