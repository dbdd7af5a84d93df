import { present } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { type GatewayAccess, gatewayAddress, showAddress } from "@skillhold/registry/remote";
import type { Io } from "../terminal/output.ts";
import { readLogins } from "./gateway-login.ts";

/** What it takes to ask a gateway: its address, and the token of the variable or of a login there. */
export async function gatewayAccess(text: string, io: Pick<Io, "env" | "signal">): Promise<GatewayAccess> {
  const given = io.env["SKILLHOLD_TOKEN"];
  const { signal } = io;
  if (given) return { url: showAddress(gatewayAddress(text)), token: given, signal };
  const url = showAddress(gatewayAddress(text, { isInsecure: true }));
  const login = (await readLogins(io.env)).find((each) => each.url === url);
  if (login === undefined)
    throw new SkillError("UNAUTHENTICATED", `You are not logged in at ${url}.`, {
      hint: `Run \`skillhold login ${url}\`, or set SKILLHOLD_TOKEN.`,
    });
  return { url, token: login.token, signal, ...present({ isInsecure: login.isInsecure }) };
}

/** The gateway that is named, or else the one of the variable, or the only one that the user is logged in at. */
export async function chooseAddress(named: string | undefined, { env }: Pick<Io, "env">): Promise<string> {
  const address = named ?? (env["SKILLHOLD_GATEWAY"] || undefined);
  if (address !== undefined) return address;
  const logins = await readLogins(env);
  const [only] = logins;
  if (only !== undefined && logins.length === 1) return only.url;
  const hint =
    logins.length === 0
      ? "Name its address; `skillhold login <url>` logs you in."
      : `You are logged in at ${logins.map(({ url }) => url).join(", ")}: name one.`;
  throw new SkillError("USAGE", "It is not said which gateway is meant.", { hint });
}
