import { join } from "node:path";
import { dataFolder, present, readPrivateList, writePrivateList } from "@skillhold/host/place";
import { type GatewayLogin, readLoginList, writeLoginList } from "@skillhold/registry/remote";
import type { Io } from "../terminal/output.ts";

const WHAT = "gateways";

/** The gateways that the user is logged in at. Whoever reads the file is that user there: one that others can read is refused. */
export async function readLogins(env: Io["env"]): Promise<readonly GatewayLogin[]> {
  const path = fileOf(env);
  const text = await readPrivateList(path, WHAT);
  return text === undefined ? [] : readLoginList(text, path);
}

/** Puts a login in place of the one at the same address. */
export async function keepLogin({ url, token, isInsecure }: GatewayLogin, env: Io["env"]): Promise<void> {
  const others = (await readLogins(env)).filter((each) => each.url !== url);
  await writeLogins([...others, { url, token, ...present({ isInsecure }) }], env);
}

/** Returns whether there was one. */
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
