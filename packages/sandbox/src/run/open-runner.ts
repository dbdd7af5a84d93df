import type { RunPorts, SkillRunner } from "@skillhold/core/run";

/** Opens the runner of one session. Its modules are loaded by the first run, because most sessions only read. */
export async function openRunner({ toolCache }: RunPorts): Promise<SkillRunner> {
  const [{ runScript }, { ToolSets }] = await Promise.all([
    import("./run-script.ts"),
    import("./tool-set.ts"),
  ]);
  const tools = new ToolSets(toolCache);
  return {
    runScript,
    listTools: (context) => tools.list(context),
    callTool: (tool, args, context) => tools.call(tool, args, context),
    close: () => tools.close(),
  };
}
