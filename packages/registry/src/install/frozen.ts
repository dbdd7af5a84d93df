import { SkillError } from "@skillhold/protocol/error";
import { type LockedSkill, skillsLockHash } from "../format/index.ts";
import { fromLockEntry } from "./lock-entry.ts";
import { type PrepareContext, type Prepared, prepareInstall } from "./prepare.ts";
import { resolveSource } from "./resolve-source.ts";
import { readSource } from "./source-grammar.ts";
import type { Applied, InstallTarget } from "./target.ts";
import { exactSpec } from "./update.ts";

/**
 * Installs exactly the skills of a lock. A source whose content differs from the lock, or an edited folder, is an
 * INTEGRITY_FAILED; all checks run before the first write.
 */
export async function installFrozen(
  entries: Readonly<Record<string, LockedSkill>>,
  target: InstallTarget,
  context: PrepareContext,
): Promise<readonly Applied[]> {
  const wanted: { readonly id: string; readonly prepared: Prepared }[] = [];
  for (const [id, entry] of Object.entries(entries))
    wanted.push({ id, prepared: await prepareLocked(id, entry, context) });
  const plans = [];
  for (const { id, prepared } of wanted) {
    const before = await target.find(id);
    if (before !== undefined && before.treeHash !== prepared.staged.treeHash)
      throw differs(id, "the installed skill differs from the lock");
    plans.push({ prepared, before });
  }
  const applied: Applied[] = [];
  for (const { prepared, before } of plans) {
    const { staged, origin, signature, firstSeen } = prepared;
    if (before !== undefined) {
      applied.push({ id: staged.id, status: "unchanged", treeHash: staged.treeHash, warnings: [] });
      continue;
    }
    const signer = signature.status === "verified" ? signature.signer : undefined;
    applied.push(
      await target.apply({
        staged,
        origin,
        signer,
        firstSeen,
        upstream: staged.treeHash,
        before,
        isRecorded: true,
      }),
    );
  }
  return applied;
}

async function prepareLocked(id: string, entry: LockedSkill, context: PrepareContext): Promise<Prepared> {
  const record = fromLockEntry(entry);
  if (record === undefined) throw differs(id, "the lock does not say where it came from");
  if (entry.skillhold !== undefined && record.treeHash !== record.upstream)
    throw differs(id, "the lock records local edits, which no source has");
  const spec = readSource(record.spec);
  const resolved = await resolveSource(exactSpec(spec, record) ?? spec, context.ports);
  const names = record.path === undefined || spec.kind === "git" ? [] : [record.path];
  const { prepared, failures } = await prepareInstall(resolved, { names, id }, context);
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  const found = prepared.find(({ origin }) => origin.path === record.path) ?? prepared[0];
  if (found === undefined) throw differs(id, "the source has no such skill");
  const isLocked =
    entry.skillhold === undefined
      ? entry.computedHash === skillsLockHash(found.staged.files)
      : found.staged.treeHash === record.upstream;
  if (!isLocked) throw differs(id, "the source has other content than the lock records");
  return found;
}

function differs(id: string, problem: string): SkillError {
  return new SkillError("INTEGRITY_FAILED", `${id} cannot be installed from the lock: ${problem}.`, {
    hint: "Nothing was written. Run `skillhold update` to move the lock on, or restore the lock.",
    details: { id },
  });
}
