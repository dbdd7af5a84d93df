import { resolve } from "node:path";
import { AuditKey } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { findTrustedKey, keyText } from "@skillhold/registry/audit";
import type { CommandInput } from "./command.ts";
import { withRegistry } from "./store.ts";
import { type ExitCode, type Io, plain, printData } from "./terminal/output.ts";

/** Adds or revokes a key of the audit log. This machine's key endorses the change. */
export async function changeKey(
  input: CommandInput,
  label: string,
  change: "added" | "revoked",
): Promise<ExitCode> {
  const { io } = input;
  const key = await readKey(label, io);
  return await withRegistry<ExitCode>(input, "change", async ({ context: { store, clock }, actor }) => {
    const at = clock.now().toISOString();
    const seq = await store.transaction((tx) => tx.changeAuditKey({ at, by: actor, key, change }));
    if (io.json) printData(io, { key, change, seq });
    else io.out(`${change} ${plain(key)}\n`);
    return 0;
  });
}

/** A key as text, or the path of its public key file. */
async function readKey(label: string, { cwd }: Io): Promise<string> {
  if (AuditKey.safeParse(label).success) return label;
  const trusted = await findTrustedKey(resolve(cwd, label));
  if (trusted !== undefined) return keyText(trusted.key);
  throw new SkillError("USAGE", `${JSON.stringify(label.slice(0, 80))} is neither a key nor a key file.`, {
    hint: "Write the key as ed25519:…, or name the .pub file beside the other machine's key.",
  });
}
