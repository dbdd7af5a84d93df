export { ScanProcess, type ScanProcessOptions } from "./scan-process.ts";
