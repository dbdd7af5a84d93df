import { type ComponentType, type LazyExoticComponent, lazy } from "react";

const KEY = "skillhold.renewed";
const PAUSE_MS = 10_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

/**
 * A component that is loaded when it is first shown. While the gateway cannot be reached, it waits and tries again: a
 * reload would lose the page. A newer gateway has other files, so a part that it does not have reloads the page once.
 */
export function part<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await loadPart(load, { isReachable, wait, renew }) }));
}

export interface PartPorts {
  readonly isReachable: () => Promise<boolean>;
  readonly wait: (ms: number) => Promise<void>;
  /** Reloads the page, unless it was just reloaded. Returns whether it does. */
  readonly renew: () => boolean;
}

export async function loadPart<T>(load: () => Promise<T>, ports: PartPorts): Promise<T> {
  for (let ms = FIRST_WAIT_MS; ; ms = Math.min(ms * 2, LONGEST_WAIT_MS)) {
    try {
      return await load();
    } catch (error) {
      if (await ports.isReachable()) {
        if (!ports.renew()) throw error;
        // The page is about to go.
        return await new Promise<never>(() => {});
      }
      await ports.wait(ms);
    }
  }
}

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

async function wait(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    window.setTimeout(resolve, ms);
  });
}

function renew(): boolean {
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - last < PAUSE_MS) return false;
  sessionStorage.setItem(KEY, String(Date.now()));
  window.location.reload();
  return true;
}
