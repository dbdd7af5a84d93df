import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCodeOf } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";

/** The part of the package that Skillhold uses; its interface is not stable yet. */
export interface SandboxRuntimeModule {
  readonly SandboxManager: RuntimeManager;
}

export interface RuntimeManager {
  isSupportedPlatform(): boolean;
  checkDependencies(): { readonly errors: readonly string[] };
  initialize(config: RuntimeConfig): Promise<void>;
  wrapWithSandboxArgv(
    command: string,
    shell: string,
    config: RuntimeConfig,
    signal: AbortSignal | undefined,
    cwd: string,
    options: { readonly commandId: string },
  ): Promise<{ readonly argv: readonly string[] }>;
  registerCommandNetworkLists(commandId: string, lists: { readonly allowedDomains: readonly string[] }): void;
  unregisterCommandNetworkLists(commandId: string): void;
  cleanupAfterCommand(): void;
  reset(): Promise<void>;
}

/** A path that is never interpreted as a pattern. */
export interface LiteralPath {
  readonly path: string;
  readonly literal: true;
}

export interface RuntimeConfig {
  readonly network: { readonly allowedDomains: readonly string[]; readonly deniedDomains: readonly string[] };
  readonly filesystem: {
    readonly denyRead: readonly LiteralPath[];
    readonly allowRead: readonly LiteralPath[];
    readonly allowWrite: readonly LiteralPath[];
    readonly denyWrite: readonly LiteralPath[];
  };
}

export interface LoadedRuntime {
  readonly manager: RuntimeManager;
  /** The package's folder, parts of which run inside the sandbox. */
  readonly folder: string;
}

const NAME = "@anthropic-ai/sandbox-runtime";

/** Loads the optional package. Throws SANDBOX_UNAVAILABLE with the install command when it is missing. */
export async function loadSandboxRuntime(
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<LoadedRuntime> {
  try {
    // The self-test verifies the used functions before any run.
    const module = (await load(NAME)) as SandboxRuntimeModule;
    return {
      manager: module.SandboxManager,
      folder: resolve(dirname(fileURLToPath(import.meta.resolve(NAME))), ".."),
    };
  } catch (error) {
    if (errorCodeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new SkillError("SANDBOX_UNAVAILABLE", `The package ${NAME} is not installed.`, {
      hint: `Install it: npm install ${NAME}`,
      cause: error,
    });
  }
}
