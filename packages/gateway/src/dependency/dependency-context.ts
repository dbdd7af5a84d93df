import type { IndexedLibrary } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import type { DependencyPorts } from "../gateway-context.ts";
import type { CatalogueContext } from "../running-context.ts";
import type { DependencyWork } from "./dependency-work.ts";

/** The context of dependency checks and installations, which read skills from the library. */
export interface DependencyContext extends Omit<CatalogueContext, "dependencies" | "work" | "library"> {
  readonly dependencies: DependencyPorts;
  readonly work: DependencyWork;
  readonly library: IndexedLibrary;
}

/** Throws NOT_READY when this gateway cannot check dependencies. */
export function withDependencies(context: CatalogueContext): DependencyContext {
  const { dependencies, work } = context;
  if (dependencies !== undefined && work !== undefined)
    return { ...context, dependencies, work, library: work.library };
  throw new SkillError("NOT_READY", "This gateway does not check dependencies.", {
    hint: "Start it with a writable data folder: --data <folder>.",
  });
}
