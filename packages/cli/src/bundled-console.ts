import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the console's files; undefined where it was not built. */
export function bundledConsole(): string | undefined {
  // Sources are in the workspace, where the console is built in its own package; emitted code has it beside it.
  const place = import.meta.url.endsWith(".ts") ? "../../console/dist" : "../console";
  const folder = fileURLToPath(new URL(place, import.meta.url));
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}
