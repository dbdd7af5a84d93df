export type { Clearance, ClearanceTarget, ClearedRun, ScriptInput } from "./clearance.ts";
export type {
  CallOptions,
  DeclaredTool,
  JsonSchema,
  ListedTool,
  ToolAnswer,
  ToolArgs,
  ToolCatalogue,
  ToolCatalogueCache,
  ToolListing,
  ToolProblem,
} from "./declared-tool.ts";
export type { Launch, LaunchedProgram } from "./launch.ts";
export type {
  DeferredRunPorts,
  RunContext,
  RunCopy,
  RunEnvironment,
  RunGrant,
  RunLog,
  RunPorts,
  SkillRunner,
  Unplaced,
} from "./run-port.ts";
export type {
  Collected,
  CollectedFile,
  EnforcedLimits,
  Enforcement,
  HostList,
  LimitKind,
  Mount,
  Network,
  ProbeCheck,
  RunLimits,
  Sandbox,
  SandboxCommand,
  SandboxExit,
  SandboxId,
  SandboxPaths,
  SandboxProbe,
  SandboxProcess,
  SandboxSpec,
} from "./sandbox.ts";
export type { ScriptOptions, ScriptRun } from "./script-run.ts";
export { type RuntimeKind, runtimeOf, SCRIPT_ENDINGS } from "./script-runtime.ts";
