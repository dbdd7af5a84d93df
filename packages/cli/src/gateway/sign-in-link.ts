import type { RegistryContext } from "@skillhold/registry/record";
import { issueToken } from "@skillhold/registry/token";
import type { Io } from "../output.ts";
import { userName } from "../store-address.ts";

/** A link that signs the user of this machine in as an administrator, once. */
export async function makeSignInLink(
  address: string,
  { env }: Pick<Io, "env">,
  registry: RegistryContext,
): Promise<string> {
  const by = { user: userName(env), role: "admin" } as const;
  const { secret } = await issueToken({ kind: "sign-in", name: "sign-in", role: "admin" }, { by }, registry);
  // Browsers send no server what comes after the mark.
  return `${address}/sign-in#${secret}`;
}

/** Whether an administrator was ever here, as far as the tokens tell that still count or did lately. */
export async function hasAdministrator({ store }: Pick<RegistryContext, "store">): Promise<boolean> {
  const tokens = await store.listTokens();
  return tokens.some(
    ({ role, kind, lastUsedAt }) => role === "admin" && (kind === "session" || lastUsedAt !== undefined),
  );
}
