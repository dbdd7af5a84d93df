import { readFileSync } from "node:fs";
import type { ServeOptions } from "@skillhold/host/gateway";
import { SignInRole } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import type { CommandInput } from "../../command.ts";
import { listOption, textOption } from "../../option.ts";
import type { Io } from "../../terminal/output.ts";

/** The key `sso` of the configuration file. */
export const SsoFile = z
  .strictObject({
    issuer: z.string().min(1).describe("the issuer of the OpenID Connect provider"),
    clientId: z.string().min(1).describe("the id of the gateway at the provider"),
    clientSecretFile: z.string().min(1).describe("a file with the client secret; none for a public client"),
    label: z.string().min(1).max(64).describe("the provider's name on the sign-in page"),
    scopes: z.array(z.string().min(1)).describe("the scopes besides openid; by default profile and email"),
    domains: z.array(z.string().min(1)).describe("let only verified email addresses of these domains enter"),
    groupsClaim: z.string().min(1).describe("the claim with a person's groups; by default groups"),
    groups: z.array(z.string().min(1)).describe("let only these groups enter"),
    roles: z.record(z.string(), SignInRole).describe("the roles of groups; the first that matches counts"),
    create: z.boolean().describe("create accounts for people without an invitation"),
    role: SignInRole.describe("the role of such accounts; by default viewer"),
    signOut: z.boolean().describe("sign people out at the provider as well"),
  })
  .partial();
type SsoFile = z.infer<typeof SsoFile>;

/** The provider from the options, variables and the configuration file; undefined without one. */
export function readSso(
  options: CommandInput["options"],
  { env }: Pick<Io, "env">,
): NonNullable<ServeOptions["sso"]> | undefined {
  const file: SsoFile = SsoFile.parse(options["sso"] ?? {});
  const issuer =
    textOption(options, "ssoIssuer") ?? (env["SKILLHOLD_SSO_ISSUER"] || undefined) ?? file.issuer;
  const clientId =
    textOption(options, "ssoClientId") ?? (env["SKILLHOLD_SSO_CLIENT_ID"] || undefined) ?? file.clientId;
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined)
    throw invalid("Single sign-on needs an issuer and a client id.", "Set --sso-issuer and --sso-client-id.");
  const given = listOption(options, "ssoDomain");
  const domains = (given.length > 0 ? given : (file.domains ?? [])).map((domain) => domain.toLowerCase());
  const { groups = [], roles = {} } = file;
  const isOpen = options["ssoCreate"] === true || file.create === true;
  if (isOpen && domains.length === 0 && groups.length === 0)
    throw invalid(
      "Single sign-on would create an account for anyone at the provider.",
      "Name the allowed --sso-domain, or groups in the configuration file.",
    );
  return {
    issuer: checkIssuer(issuer),
    clientId,
    clientSecret: readSecret(file, env),
    label: file.label ?? new URL(issuer).hostname,
    scopes: file.scopes ?? ["profile", "email"],
    domains,
    groupsClaim: file.groupsClaim ?? "groups",
    groups,
    roles: Object.entries(roles).map(([group, role]) => ({ group, role })),
    isOpen,
    role: file.role ?? "viewer",
    hasSignOut: file.signOut ?? false,
  };
}

/** Plain HTTP is only for a provider on this machine. */
function checkIssuer(text: string): string {
  const url = URL.parse(text);
  const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  if (url !== null && isSafe && url.search === "" && url.hash === "" && url.username === "") return text;
  throw invalid(
    `${JSON.stringify(text.slice(0, 200))} is not an issuer.`,
    "Write it as the provider does, such as https://login.example.org.",
  );
}

function readSecret({ clientSecretFile }: SsoFile, env: Io["env"]): string | undefined {
  const path = (env["SKILLHOLD_SSO_CLIENT_SECRET_FILE"] || undefined) ?? clientSecretFile;
  const named = env["SKILLHOLD_SSO_CLIENT_SECRET"] || undefined;
  if (named !== undefined || path === undefined) return named;
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new SkillError("IO_FAILED", `The client secret cannot be read from ${path}.`, { cause });
  }
}

function invalid(message: string, hint: string): SkillError {
  return new SkillError("CONFIG_INVALID", message, { hint });
}
