import { count } from "../../ui/text.tsx";

interface Checked {
  readonly check?: { readonly status: string } | undefined;
}

/** The number of installed skills, and how many have a newer version or a source that fails. */
export function sourceSummary(skills: readonly Checked[]): string {
  const number = (status: string) => skills.filter(({ check }) => check?.status === status).length;
  const parts = (["outdated", "waiting", "conflict", "failed"] as const)
    .filter((status) => number(status) > 0)
    .map((status) => `${number(status)} ${status}`);
  return [count(skills.length, "installed skill"), ...parts].join(", ");
}
