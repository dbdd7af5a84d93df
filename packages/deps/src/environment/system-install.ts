import { installCommand } from "@skillhold/sandbox/backend";
import { runCommand } from "./command.ts";
import { type CommandArgv, type SystemManager, systemCommand } from "./install-command.ts";
import { describeFailure } from "./install-failure.ts";
import type { ItemResult } from "./install-group.ts";
import type { Variables } from "./install-setting.ts";
import { type InstallSpec, readSpec } from "./spec.ts";

/** The facts about the machine that system packages depend on. */
export interface SystemHost {
  readonly env: Variables;
  readonly platform: string;
  readonly osRelease: string;
  readonly isRoot: boolean;
}

/** The step for a system package: a command to run, or an instruction for a person. */
export type SystemStep =
  | { readonly kind: "command"; readonly argv: CommandArgv }
  | { readonly kind: "manual"; readonly message: string };

/**
 * Contract: `mayChangeSystem` is an administrator's explicit permission. Skillhold never raises its own
 * rights: without them the user gets the command to run.
 */
export function systemStep(spec: InstallSpec, mayChangeSystem: boolean, host: SystemHost): SystemStep {
  if (spec.manager === "download") return manual(`Download it manually: ${spec.name}`);
  const found = spec.manager === "system" ? packageOf(spec, host) : spec;
  if (found === undefined || !isSystemManager(found.manager)) {
    return manual(`Install it manually: ${installCommand(host.osRelease, spec.name)}`);
  }
  const argv = systemCommand(found.manager, found);
  if (!mayChangeSystem) return manual(`Run as an administrator: ${argv.join(" ")}`);
  if (!hasRights(found.manager, host))
    return manual(`Skillhold lacks the rights to install it. Run: ${argv.join(" ")}`);
  return { kind: "command", argv };
}

export async function installSystem(
  spec: InstallSpec,
  argv: CommandArgv,
  { env }: SystemHost,
  options: { readonly deadline: number; readonly signal?: AbortSignal },
): Promise<ItemResult> {
  const started = performance.now();
  const { deadline, signal } = options;
  const result = await runCommand(argv, {
    env: {
      PATH: env["PATH"] ?? "",
      HOME: env["HOME"] ?? "/",
      LANG: "C.UTF-8",
      DEBIAN_FRONTEND: "noninteractive",
    },
    timeoutMs: deadline - started,
    ...(signal === undefined ? {} : { signal }),
  });
  const durationMs = Math.round(performance.now() - started);
  return result.code === 0
    ? { spec: spec.text, status: "ok", message: "", durationMs }
    : { spec: spec.text, status: "failed", message: `${spec.text}: ${describeFailure(result)}`, durationMs };
}

function manual(message: string): SystemStep {
  return { kind: "manual", message };
}

function isSystemManager(manager: InstallSpec["manager"]): manager is SystemManager {
  return manager === "apt" || manager === "apk" || manager === "brew" || manager === "go";
}

/** The system package for a program; most systems use the same name. */
function packageOf({ name }: InstallSpec, host: SystemHost): InstallSpec | undefined {
  const manager = managerOf(host);
  const spec = manager === undefined ? "" : readSpec(`${manager}:${name}`);
  return typeof spec === "string" ? undefined : spec;
}

/** The package manager of a system; undefined for an unknown system. */
export function managerOf({
  platform,
  osRelease,
}: Pick<SystemHost, "platform" | "osRelease">): "brew" | "apt" | "apk" | undefined {
  if (platform === "darwin") return "brew";
  const command = installCommand(osRelease, "x");
  if (command.startsWith("apt-get ")) return "apt";
  return command.startsWith("apk ") ? "apk" : undefined;
}

/** Homebrew refuses to run as root; system package managers require root. */
function hasRights(manager: SystemManager, { isRoot }: SystemHost): boolean {
  return manager === "go" || (manager === "brew") !== isRoot;
}
