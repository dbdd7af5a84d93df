export { guardPorts } from "./guard-ports.ts";
export { missingHook } from "./missing-hook.ts";
export { allowsUnsandboxed, localRunPorts, type RunChoice, systemHost } from "./run-ports.ts";
export { chooseSandbox, freshSandbox } from "./sandbox-choice.ts";
