export { type ExportFormat, exportSkills } from "./export.ts";
export { exportFolder } from "./export-folder.ts";
export { importSkills } from "./import.ts";
