import { SkillError } from "@skillhold/protocol/error";
import type { DependencyPorts } from "../gateway-context.ts";
import type { RunningContext } from "../running-context.ts";
import type { DependencyWork } from "./dependency-work.ts";

/** What dependencies are looked at and installed with. */
export interface DependencyContext extends Omit<RunningContext, "dependencies" | "work"> {
  readonly dependencies: DependencyPorts;
  readonly work: DependencyWork;
}

/** Refuses what this gateway cannot do. */
export function withDependencies(context: RunningContext): DependencyContext {
  const { dependencies, work } = context;
  if (dependencies !== undefined && work !== undefined) return { ...context, dependencies, work };
  throw new SkillError("NOT_READY", "This gateway does not look at what skills need.", {
    hint: "Start it with a folder for data that it can write to: --data <folder>.",
  });
}
