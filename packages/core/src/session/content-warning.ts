import { type InstallStep, readOpenclaw, textOf } from "@skillhold/skill";
import { neutralText } from "../catalogue/index.ts";
import type { SkillContent } from "../library/library.ts";

/** What a reader of these instructions should know before following them. */
export function contentWarnings(content: SkillContent): readonly string[] {
  return [
    ...(content.isLastGood
      ? ["The skill's file is broken at the moment; this is the last text that could be read."]
      : []),
    ...readinessWarnings(content),
    ...(hasShellInPrompt(content.body)
      ? ["The instructions hold shell commands to be run on loading. They were not run and are left as text."]
      : []),
  ];
}

function readinessWarnings({ entry, frontmatter }: SkillContent): readonly string[] {
  const { state, reasons } = entry.readiness;
  if (state === "ready") return [];
  const commands =
    state === "missing-deps" ? readOpenclaw(frontmatter).install.flatMap((step) => installCommand(step)) : [];
  const why = reasons.map((reason) => neutralText(reason, 200)).join("; ");
  const advice = commands.length === 0 ? "" : ` To install: ${commands.join(" or ")}.`;
  return [`The skill is not ready (${state}): ${why}.${advice}`];
}

const INSTALLERS: Readonly<Record<string, readonly [command: string, field: string]>> = {
  brew: ["brew install", "formula"],
  node: ["npm install --global", "package"],
  go: ["go install", "module"],
  uv: ["uv tool install", "package"],
};

/** The skill's own advice as a command, if it names one plain package; anything else could be any command. */
function installCommand({ kind, fields }: InstallStep): readonly string[] {
  const installer = Object.hasOwn(INSTALLERS, kind) ? INSTALLERS[kind] : undefined;
  const name = installer === undefined ? undefined : textOf(fields[installer[1]]);
  if (installer === undefined || name === undefined) return [];
  return /^@?[A-Za-z0-9][\w.@/+-]{0,127}$/.test(name) ? [`\`${installer[0]} ${name}\``] : [];
}

/** Commands in backticks after an exclamation mark, or a fenced block that starts with one. */
function hasShellInPrompt(body: string): boolean {
  return /(?:^|\s)!`[^`\n]+`/.test(body) || /^[ \t]*(?:```|~~~)!/m.test(body);
}
