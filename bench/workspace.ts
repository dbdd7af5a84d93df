import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LiveWorkspace } from "@skillhold/registry/workspace";
import { PulledWorkspaces } from "../tests/workspace/pull.fixture.ts";
import { median } from "./measure.ts";

const WORKSPACES = 50;
const SKILLS = 40;
const ROUNDS = 5;
const DEBOUNCE_MS = 2000;

/**
 * Measures the time from the end of a `git pull` to the last reload of 50 workspaces. The floor is the quiet time of the
 * files and one reading of every file.
 */
export async function benchWorkspace(): Promise<void> {
  const pulled = new PulledWorkspaces({ workspaces: WORKSPACES, skills: SKILLS });
  const opened = pulled.folders.map((folder, at) => new LiveWorkspace(folder, { id: `workspace-${at}` }));
  // Watches and timers of a workspace do not keep a process running.
  const running = setInterval(() => {}, DEBOUNCE_MS);
  try {
    const times: number[] = [];
    const readings: number[] = [];
    let reloads = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      pulled.commit(`round ${round}`);
      const { promise: last, resolve } = Promise.withResolvers<number>();
      const waiting = new Set(opened);
      const stops = opened.map((workspace) =>
        workspace.onChange(() => {
          reloads += 1;
          waiting.delete(workspace);
          if (waiting.size === 0) resolve(performance.now());
        }),
      );
      pulled.pull();
      const start = performance.now();
      times.push((await last) - start);
      for (const stop of stops) stop();
      readings.push(readAll(pulled.folders));
    }
    const [time, reading] = [median(times), median(readings)];
    const floor = DEBOUNCE_MS + reading;
    console.log(
      `workspace: git pull of ${WORKSPACES} workspaces with ${SKILLS} skills, last reload after ${time.toFixed(0)} ms, floor ${floor.toFixed(0)} ms (quiet time ${DEBOUNCE_MS} ms, reading ${reading.toFixed(0)} ms), ratio ${(time / floor).toFixed(2)}; ${(reloads / ROUNDS / WORKSPACES).toFixed(2)} reloads of each per pull`,
    );
  } finally {
    clearInterval(running);
    for (const workspace of opened) workspace.close();
    pulled.remove();
  }
}

/** The time to read every file once. */
function readAll(folders: readonly string[]): number {
  const start = performance.now();
  for (const folder of folders)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) readFileSync(join(entry.parentPath, entry.name));
  return performance.now() - start;
}
