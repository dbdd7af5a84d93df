import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const moduleUrl = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);

/**
 * Runs code in a separate process with the open store as `store` and the values as `args`. Returns its
 * result.
 */
export async function inProcess(url: string, code: string, ...args: readonly string[]): Promise<unknown> {
  const script = `
    import { openRegistryStore } from ${moduleUrl("registry-store.ts")};
    import * as fixture from ${moduleUrl("registry.fixture.ts")};
    const [url, ...args] = process.argv.slice(1);
    const store = await openRegistryStore(url);
    const result = await (async () => { ${code} })();
    await store.close();
    process.stdout.write(JSON.stringify(result ?? null));`;
  const flags = ["--conditions=@skillhold/source", "--input-type=module", "-e", script, url, ...args];
  const child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (exitCode !== 0) throw new Error(`The process failed (${exitCode}): ${errors}`);
  return JSON.parse(output);
}
