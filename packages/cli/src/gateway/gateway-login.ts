import { join } from "node:path";
import { dataFolder, present, readPrivateList, writePrivateList } from "@skillhold/host/place";
import { type GatewayLogin, readLoginList, writeLoginList } from "@skillhold/registry/remote";
import type { Io } from "../terminal/output.ts";

const WHAT = "gateways";

/** Reads the stored logins. Refuses a file that other users can read, because it contains tokens. */
export async function readLogins(env: Io["env"]): Promise<readonly GatewayLogin[]> {
  const path = fileOf(env);
  const text = await readPrivateList(path, WHAT);
  return text === undefined ? [] : readLoginList(text, path);
}

/** Stores a login and replaces an earlier one for the same URL. */
export async function keepLogin({ url, token, isInsecure }: GatewayLogin, env: Io["env"]): Promise<void> {
  const others = (await readLogins(env)).filter((each) => each.url !== url);
  await writeLogins([...others, { url, token, ...present({ isInsecure }) }], env);
}

/** Deletes a login. Returns false if the login does not exist. */
export async function dropLogin(url: string, env: Io["env"]): Promise<boolean> {
  const all = await readLogins(env);
  const others = all.filter((each) => each.url !== url);
  if (others.length < all.length) await writeLogins(others, env);
  return others.length < all.length;
}

function fileOf(env: Io["env"]): string {
  return join(dataFolder(env), "gateways.json");
}

async function writeLogins(gateways: readonly GatewayLogin[], env: Io["env"]): Promise<void> {
  await writePrivateList(fileOf(env), WHAT, writeLoginList(gateways));
}
