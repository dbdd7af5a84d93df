import { present } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { type GatewayAccess, gatewayAddress, showAddress } from "@skillhold/registry/remote";
import type { Io } from "../terminal/output.ts";
import { readLogins } from "./gateway-login.ts";

/** The URL of a gateway with the token of $SKILLHOLD_TOKEN or of a login. */
export async function gatewayAccess(text: string, io: Pick<Io, "env" | "signal">): Promise<GatewayAccess> {
  const given = io.env["SKILLHOLD_TOKEN"];
  const { signal } = io;
  if (given) return { url: showAddress(gatewayAddress(text)), token: given, signal };
  const url = showAddress(gatewayAddress(text, { isInsecure: true }));
  const login = (await readLogins(io.env)).find((each) => each.url === url);
  if (login === undefined)
    throw new SkillError("UNAUTHENTICATED", `You are not logged in to ${url}.`, {
      hint: `Run \`skillhold login ${url}\`, or set SKILLHOLD_TOKEN.`,
    });
  return { url, token: login.token, signal, ...present({ isInsecure: login.isInsecure }) };
}

/** The named gateway, that of $SKILLHOLD_GATEWAY, or the only one with a login. */
export async function chooseAddress(named: string | undefined, { env }: Pick<Io, "env">): Promise<string> {
  const address = named ?? (env["SKILLHOLD_GATEWAY"] || undefined);
  if (address !== undefined) return address;
  const logins = await readLogins(env);
  const [only] = logins;
  if (only !== undefined && logins.length === 1) return only.url;
  const hint =
    logins.length === 0
      ? "Add the URL of a gateway, or run `skillhold login <url>`."
      : `Name one of ${logins.map(({ url }) => url).join(", ")}.`;
  throw new SkillError("USAGE", "No gateway was named.", { hint });
}
