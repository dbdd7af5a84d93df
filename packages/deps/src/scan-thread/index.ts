export { ScanThread } from "./scan-thread.ts";
