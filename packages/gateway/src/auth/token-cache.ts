import { hash } from "node:crypto";
import type { RegistryContext } from "@skillhold/core/registry";
import { authenticateToken, type TokenRecord } from "@skillhold/core/token";
import { BoundedMap } from "../cache/bounded-map.ts";

type Kind = "api" | "session";

interface Known {
  readonly token: TokenRecord;
  /** Until when nobody asks the store again. */
  readonly until: number;
}

const KEPT_MS = 5000;
const MOST = 10_000;

/**
 * Tokens that counted a moment ago, by the hashes of their secrets. All are forgotten after each commit of anyone: at
 * once where the store tells its version, and else when it tells of the commit, or after some seconds.
 */
export class TokenCache {
  readonly #known = new Map<string, Known>();
  /** Those that counted at some time, whatever was committed since. */
  readonly #counted = new BoundedMap<string, true>(MOST);
  readonly #context: RegistryContext;
  readonly #watch: Promise<(() => Promise<void>) | undefined>;
  #isWatched = false;
  #version: number | undefined;
  /** Is another number after each time that all were forgotten. */
  #age = 0;

  constructor(context: RegistryContext, onError: (error: unknown) => void) {
    this.#context = context;
    this.#watch = this.#startWatch(onError);
  }

  /** The token that counts now, or undefined. */
  async find(secret: string, kind: Kind, rejectUnknown = () => {}): Promise<TokenRecord | undefined> {
    const key = `${kind} ${hash("sha256", secret, "hex")}`;
    if (this.#counted.find(key) === undefined) rejectUnknown();
    await this.#look();
    const now = this.#context.clock.now().getTime();
    const known = this.#known.get(key);
    if (known !== undefined && now < known.until) return known.token;
    const age = this.#age;
    const token = await authenticateToken(secret, kind, this.#context);
    if (token !== undefined) this.#counted.set(key, true);
    // What was found may be over by now, if something was committed while it was looked for.
    if (token !== undefined && age === this.#age) this.#keep(key, token, now);
    return token;
  }

  forget(): void {
    this.#age += 1;
    this.#known.clear();
  }

  async close(): Promise<void> {
    const stop = await this.#watch;
    this.#isWatched = false;
    this.forget();
    await stop?.();
  }

  async #startWatch(onError: (error: unknown) => void): Promise<(() => Promise<void>) | undefined> {
    try {
      const stop = await this.#context.store.onCommit(() => this.forget());
      this.#isWatched = true;
      return stop;
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  async #look(): Promise<void> {
    const version = await this.#context.store.version();
    if (version === this.#version) return;
    this.#version = version;
    this.forget();
  }

  /** Nothing is kept where nobody tells of commits. */
  #keep(key: string, token: TokenRecord, now: number): void {
    if (!this.#isWatched) return;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(key, { token, until: Math.min(now + KEPT_MS, Date.parse(token.expiresAt)) });
  }
}
