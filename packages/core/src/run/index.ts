export { bubblewrap } from "../sandbox/bubblewrap.ts";
export { rememberedProbe } from "../sandbox/remembered-probe.ts";
export { sandboxRuntime } from "../sandbox/sandbox-runtime.ts";
export { type SelfTestReport, selfTest } from "../sandbox/self-test.ts";
export { unconfined } from "../sandbox/unconfined.ts";
export { findConfig } from "./find-config.ts";
export { systemRuns } from "./system-run.ts";
