import type { ItemResult } from "./install-group.ts";

/** What is told while things are checked and installed. */
export type InstallEvent =
  | { readonly type: "skill.deps.installing"; readonly skill: string; readonly deps: readonly string[] }
  | { readonly type: "skill.dep.item.installing"; readonly skill: string; readonly dep: string }
  | {
      readonly type: "skill.dep.item.installed";
      readonly skill: string;
      readonly dep: string;
      readonly ok: boolean;
      readonly error?: string;
    }
  | {
      readonly type: "skill.deps.installed";
      readonly skill: string;
      readonly system: readonly string[];
      readonly pip: readonly string[];
      readonly npm: readonly string[];
      readonly errors: readonly string[];
    };

export function itemInstalled(skill: string, { spec, status, message }: ItemResult): InstallEvent {
  const ok = status === "ok" || status === "skipped";
  return { type: "skill.dep.item.installed", skill, dep: spec, ok, ...(ok ? {} : { error: message }) };
}

export function allInstalled(skill: string, results: readonly ItemResult[]): InstallEvent {
  const done = results.filter(({ status }) => status === "ok").map(({ spec }) => spec);
  const by = (prefix: string) =>
    done.filter((spec) => spec.startsWith(prefix)).map((spec) => spec.slice(prefix.length));
  return {
    type: "skill.deps.installed",
    skill,
    system: done.filter((spec) => !/^(?:pip|npm):/.test(spec)),
    pip: by("pip:"),
    npm: by("npm:"),
    errors: results.filter(({ status }) => status === "failed").map(({ message }) => message),
  };
}
