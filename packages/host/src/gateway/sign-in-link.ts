import type { RegistryContext } from "@skillhold/registry/record";
import { issueToken } from "@skillhold/registry/token";
import type { Env } from "../place/machine.ts";
import { userName } from "../place/user-name.ts";

/** A link that signs the user of this machine in as an administrator. It works once. */
export async function makeSignInLink(
  address: string,
  { env }: { readonly env: Env },
  registry: RegistryContext,
): Promise<string> {
  const by = { user: userName(env), role: "admin" } as const;
  const { secret } = await issueToken({ kind: "sign-in", name: "sign-in", role: "admin" }, { by }, registry);
  // Browsers never send the fragment to a server.
  return `${address}/sign-in#${secret}`;
}

/** Whether an administrator has signed in, according to the stored tokens. */
export async function hasAdministrator({ store }: Pick<RegistryContext, "store">): Promise<boolean> {
  const tokens = await store.listTokens();
  return tokens.some(
    ({ role, kind, lastUsedAt }) => role === "admin" && (kind === "session" || lastUsedAt !== undefined),
  );
}
