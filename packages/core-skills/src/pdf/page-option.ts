import type { OptionTable } from "../shared/command.ts";

export const pageOptions = {
  pages: { type: "string", value: "ranges", help: "Pages, as 1-3,5,8- or last (default: all)" },
} as const satisfies OptionTable;
