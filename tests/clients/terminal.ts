import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { environment, type Headless } from "./driver.ts";
import type { Scene } from "./scene.ts";

const POLL_MS = 250;
const PAUSE_MS = 500;
/** The time until a key without effect is pressed again. */
const KEY_MS = 5000;
/** The time until a prompt without effect is typed again. */
const SAY_MS = 15_000;
const TIMEOUT_MS = 180_000;

/** A program in a terminal of its own. */
export class Terminal {
  readonly #socket = `skillhold-${randomUUID()}`;

  constructor({ program, args, env }: Headless, scene: Scene) {
    const command = [program, ...args].map(quote).join(" ");
    const size = ["-x", "160", "-y", "50"];
    execFileSync("tmux", ["-L", this.#socket, "new-session", "-d", ...size, command], {
      cwd: scene.project,
      env: environment(scene, env),
    });
  }

  screen(): string {
    return execFileSync("tmux", ["-L", this.#socket, "capture-pane", "-p"], { encoding: "utf8" });
  }

  /** Key names as tmux knows them, such as `Enter` and `Down`. */
  press(...keys: readonly string[]): void {
    execFileSync("tmux", ["-L", this.#socket, "send-keys", ...keys]);
  }

  /** The screen once it matches. Fails with the last screen. */
  async until(pattern: RegExp): Promise<string> {
    const end = performance.now() + TIMEOUT_MS;
    let screen = "";
    while (performance.now() < end) {
      screen = this.screen();
      if (pattern.test(screen)) return screen;
      await sleep(POLL_MS);
    }
    throw new Error(`The screen never matched ${pattern}:\n${screen}`);
  }

  /** Presses keys on a screen until another one appears: a key during a redraw can get lost. */
  async answer(screen: RegExp, keys: readonly string[]): Promise<void> {
    await this.until(screen);
    const end = performance.now() + TIMEOUT_MS;
    while (screen.test(this.screen())) {
      if (performance.now() > end) throw new Error(`The keys had no effect:\n${this.screen()}`);
      this.press(...keys);
      const next = performance.now() + KEY_MS;
      while (screen.test(this.screen()) && performance.now() < next) await sleep(POLL_MS);
    }
  }

  /** Types a prompt until it has its effect. */
  async say(prompt: string, hasEffect: () => boolean): Promise<void> {
    const end = performance.now() + TIMEOUT_MS;
    while (!hasEffect()) {
      if (performance.now() > end) throw new Error(`The prompt had no effect:\n${this.screen()}`);
      this.press("-l", prompt);
      // A key in the same chunk as the text counts as pasted.
      await sleep(PAUSE_MS);
      this.press("Enter");
      const next = performance.now() + SAY_MS;
      while (!hasEffect() && performance.now() < next) await sleep(POLL_MS);
    }
  }

  close(): void {
    execFileSync("tmux", ["-L", this.#socket, "kill-server"]);
  }
}

export function hasTmux(): boolean {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
