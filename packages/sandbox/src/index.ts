export { bubblewrap } from "./backend/bubblewrap.ts";
export { type Launched, launch } from "./backend/process.ts";
export { cachedProbe } from "./backend/remembered-probe.ts";
export { sandboxRuntime } from "./backend/sandbox-runtime.ts";
export { type SelfTestReport, selfTest } from "./backend/self-test.ts";
export { unconfined } from "./backend/unconfined.ts";
export { findConfig, openRunner, systemRuns } from "./run/system-run.ts";
