import type { DependencyEvent } from "@skillhold/protocol/http";
import { useCallback, useState } from "react";
import { call } from "../../../api/client.ts";
import { useProgress } from "../../../api/live.ts";
import { queries } from "../../../api/use-api.ts";
import { toast, toastFailure } from "../../../ui/toast.tsx";
import { after, type InstallResult, type InstallStates, settled } from "./install-state.ts";

export interface Install {
  readonly states: InstallStates;
  readonly isBusy: boolean;
  readonly one: (dep: string) => void;
  readonly all: () => void;
}

/** Installs the missing dependencies of a skill, and tracks installs that other users started. */
export function useInstall(skill: string): Install {
  const [states, setStates] = useState<InstallStates>(new Map());
  const [isBusy, setBusy] = useState(false);
  const listen = useCallback(
    (event: DependencyEvent) => setStates((before) => after(before, event, skill)),
    [skill],
  );
  useProgress(listen);
  const run = async (deps: readonly string[], ask: () => Promise<readonly InstallResult[]>) => {
    setBusy(true);
    setStates((before) => new Map([...before, ...deps.map((dep) => [dep, { state: "running" }] as const)]));
    try {
      const results = await ask();
      setStates((before) => settled(before, results));
      tell(skill, results);
    } catch (error) {
      setStates((before) => settled(before, []));
      toastFailure(error);
    } finally {
      setBusy(false);
      await refresh();
    }
  };
  return {
    states,
    isBusy,
    one: (dep) => void run([dep], () => installOne(skill, dep)),
    all: () => void run([], () => installAll(skill)),
  };
}

async function installOne(skill: string, dep: string): Promise<readonly InstallResult[]> {
  return [(await call("POST /v1/skills/install-dep", { body: { skill, dep } })).result];
}

async function installAll(skill: string): Promise<readonly InstallResult[]> {
  return (await call("POST /v1/skills/install-deps", { body: { skills: [skill] } })).results;
}

function tell(skill: string, results: readonly InstallResult[]): void {
  const bad = results.filter(({ status }) => status === "failed" || status === "manual").length;
  if (results.length === 0) toast(`Nothing to install for ${skill}`, { tone: "info" });
  else if (bad === 0) toast(`Installed ${results.map(({ spec }) => spec).join(", ")} for ${skill}`);
  else toast(`${bad} of ${results.length} could not be installed for ${skill}`, { tone: "bad" });
}

async function refresh(): Promise<void> {
  const stale = ["GET /v1/skills/{id}/dependencies", "GET /v1/skills/{id}", "GET /v1/skills"] as const;
  await Promise.all(stale.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
