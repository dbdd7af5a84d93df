import { text } from "node:stream/consumers";
import { launch } from "@skillhold/sandbox/backend";
import type { ProcessContext } from "../place/machine.ts";

/** The registry of the user's npm configuration; undefined where npm is not installed. */
export async function npmRegistry({ env, cwd }: ProcessContext): Promise<string | undefined> {
  if (env["npm_config_registry"]) return env["npm_config_registry"];
  const { PATH, HOME } = env;
  const variables = Object.fromEntries(
    Object.entries({ PATH, HOME }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  try {
    const npm = await launch(["npm", "config", "get", "registry"], { env: variables, cwd });
    npm.stdin.end();
    const [answer] = await Promise.all([text(npm.stdout), npm.exited]);
    return URL.canParse(answer.trim()) ? answer.trim() : undefined;
  } catch {
    return undefined;
  }
}
