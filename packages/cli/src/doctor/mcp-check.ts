import type { Opened } from "../open.ts";
import { count } from "../terminal/text.ts";
import { type Check, ok, warn } from "./check.ts";

/** Skills that clients of the MCP skills extension would not find. */
export async function checkServable({
  library,
  viewer,
  rootFlags,
}: Pick<Opened, "library" | "viewer" | "rootFlags">): Promise<Check> {
  const { unservable } = await import("@skillhold/mcp/server");
  const unserved = await unservable(library, viewer);
  const name = "skills over mcp";
  if (unserved.length === 0) return ok(name, "Every skill can be served under the MCP skills extension.");
  const details = unserved.map(({ id, reasons }) => `${id}: ${reasons.join(" ")}`);
  const fix = `\`skillhold validate --profile mcp <folder>\` shows each finding with its fix; the tools of \`skillhold mcp${rootFlags}\` have these skills as they are.`;
  return warn(name, `${count(unserved.length, "skill")} not served as MCP skills.`, fix, details);
}
