import type { SkillType } from "@skillhold/protocol";

const TOOL_FILE = /^tools\/[^/]+\.(?:ts|mts|js|mjs|cjs|py)$/;

/** True for a file that declares tools. Files that start with `_` or `.` are helpers. */
export function isToolFile(path: string): boolean {
  return TOOL_FILE.test(path) && !/^tools\/[._]/.test(path);
}

/** context: instructions alone; hybrid: instructions and tools; tool: tools alone. */
export function skillType(paths: Iterable<string>, hasInstructions: boolean): SkillType {
  for (const path of paths) if (isToolFile(path)) return hasInstructions ? "hybrid" : "tool";
  return "context";
}

/** The SKILL.md of a folder that has only tools, so that it can be listed and used like other skills. */
export function synthesizeSkillText(folder: string, toolFiles: readonly string[]): string {
  const names = toolFiles.map((path) => path.replace(/^tools\//, "").replace(/\.[^.]+$/, ""));
  const description = `Tools: ${names.join(", ")}.`;
  return `---\nname: ${JSON.stringify(folder)}\ndescription: ${JSON.stringify(description)}\n---\n`;
}
