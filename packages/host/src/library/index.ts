export type { LibraryCandidate } from "./disclosure.ts";
export { followNotices, type LoadNotice, loadWarnings, runtimeSkips } from "./load-notice.ts";
export { openStack, type Stack, type StackChoice, type StackOptions } from "./open-stack.ts";
export { noLog, type StackLog } from "./stack-log.ts";
export { chooseViewer, OWN_RUNTIME, type ViewerChoice } from "./viewer-choice.ts";
