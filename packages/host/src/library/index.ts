export type { Candidate } from "./known-candidate.ts";
export { openStack, type Stack, type StackChoice, type StackOptions } from "./open-stack.ts";
export { chooseViewer, OWN_RUNTIME, type ViewerChoice } from "./viewer-choice.ts";
