export { capabilityReader } from "./capability-reader.ts";
export { askPolicy, type PolicyAnswer, type PolicyProgram } from "./policy-program.ts";
export { scanFolder } from "./scan-folder.ts";
export { scanGuard } from "./scan-guard.ts";
