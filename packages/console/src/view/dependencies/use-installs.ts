import type { DependencyEvent } from "@skillhold/protocol/http";
import { useCallback, useState } from "react";
import { type Answer, call } from "../../api/client.ts";
import { useProgress } from "../../api/live.ts";
import { queries } from "../../api/use-api.ts";
import { toast, toastFailure } from "../../ui/toast.tsx";
import type { Lack } from "./lack.ts";

export type InstallResult = Answer<"POST /v1/skills/install-deps">["results"][number];

export interface Installs {
  /** The running installs, as `skill dep`. */
  readonly running: ReadonlySet<string>;
  readonly isBusy: boolean;
  /** The results of the installs started in this view. */
  readonly results: readonly InstallResult[];
  readonly one: (lack: Lack) => void;
  /** Installs all missing dependencies of one skill, or of all skills. */
  readonly all: (skill?: string) => void;
}

/** Installs missing dependencies, and tracks all running installs, including those started elsewhere. */
export function useInstalls(): Installs {
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const [results, setResults] = useState<readonly InstallResult[]>([]);
  const listen = useCallback((event: DependencyEvent) => setRunning((before) => after(before, event)), []);
  useProgress(listen);
  const run = async (ask: (onResults: (some: readonly InstallResult[]) => void) => Promise<void>) => {
    setBusy(true);
    setResults([]);
    const all: InstallResult[] = [];
    try {
      await ask((some) => {
        all.push(...some);
        setResults([...all]);
      });
      tell(all);
    } catch (error) {
      toastFailure(error);
    } finally {
      setBusy(false);
      setRunning(new Set());
      await refresh();
    }
  };
  return {
    running,
    isBusy,
    results,
    one: (lack) =>
      void run(async (onResults) => {
        for (const skill of lack.skills) onResults([await installOne(skill, lack.need)]);
      }),
    all: (skill) =>
      void run(async (onResults) => {
        const body = skill === undefined ? {} : { skills: [skill] };
        onResults((await call("POST /v1/skills/install-deps", { body })).results);
      }),
  };
}

function after(running: ReadonlySet<string>, event: DependencyEvent): ReadonlySet<string> {
  if (event.type === "skill.dep.item.installing") return new Set(running).add(`${event.slug} ${event.dep}`);
  if (event.type !== "skill.dep.item.installed") return running;
  return new Set([...running].filter((each) => each !== `${event.slug} ${event.dep}`));
}

/** A program may come by a package of another name; which, the gateway knows. */
async function installOne(skill: string, need: string): Promise<InstallResult> {
  const { needs } = await call("GET /v1/skills/{id}/dependencies", { params: { id: skill } });
  const found = needs.find(({ kind, name }) => need === name || need === `${kind}:${name}`);
  const dep = found?.install ?? need;
  const { result } = await call("POST /v1/skills/install-dep", { body: { skill, dep } });
  return { ...result, skill };
}

function tell(results: readonly InstallResult[]): void {
  const bad = results.filter(({ status }) => status === "failed" || status === "manual").length;
  if (results.length === 0) toast("Nothing to install", { tone: "info" });
  else if (bad === 0) toast(`Installed ${[...new Set(results.map(({ spec }) => spec))].join(", ")}`);
  else
    toast(`${bad} of ${results.length} could not be installed`, { tone: "bad", detail: "See the results." });
}

async function refresh(): Promise<void> {
  const stale = ["GET /v1/skills", "GET /v1/skills/{id}", "GET /v1/skills/{id}/dependencies"] as const;
  await Promise.all(stale.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
