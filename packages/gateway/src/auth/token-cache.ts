import { hash } from "node:crypto";
import type { RegistryContext } from "@skillhold/registry/record";
import { authenticateToken, type TokenRecord } from "@skillhold/registry/token";
import { BoundedMap } from "../cache/bounded-map.ts";
import type { StoreVersion } from "../cache/store-version.ts";
import type { Authenticated } from "./authenticate.ts";
import { type Principal, roleOf } from "./principal.ts";

interface Known {
  readonly principal: Principal;
  /** Until when nobody asks the store again. */
  readonly until: number;
}

const KEPT_MS = 5000;
const MOST = 10_000;

export interface TokenCachePorts {
  readonly version: Pick<StoreVersion, "ask">;
  /** Told when the store cannot tell of commits. */
  readonly onError: (error: unknown) => void;
}

/**
 * Those whose tokens counted a moment ago, by the hashes of their secrets. All are forgotten after each commit of anyone:
 * at once where the store tells its version, and else when it tells of the commit, or after some seconds.
 */
export class TokenCache {
  readonly #known = new Map<string, Known>();
  /** Tokens that counted at some time, whatever was committed since. */
  readonly #counted = new BoundedMap<string, true>(MOST);
  readonly #context: RegistryContext;
  readonly #asked: TokenCachePorts["version"];
  readonly #watch: Promise<(() => Promise<void>) | undefined>;
  #isWatched = false;
  #version: number | undefined;
  /** Is another number after each time that all were forgotten. */
  #age = 0;

  constructor(context: RegistryContext, { version, onError }: TokenCachePorts) {
    this.#context = context;
    this.#asked = version;
    this.#watch = this.#startWatch(onError);
  }

  /** Whose token it is, if it counts now. */
  async find(
    secret: string,
    kind: Principal["kind"],
    rejectUnknown = () => {},
  ): Promise<Authenticated | undefined> {
    const key = `${kind} ${hash("sha256", secret, "hex")}`;
    if (!this.#known.has(key) && this.#counted.find(key) === undefined) rejectUnknown();
    const seen = await this.#asked.ask();
    this.#look(seen);
    const now = this.#context.clock.now().getTime();
    const known = this.#known.get(key);
    const isOver = known === undefined || now >= known.until;
    const principal = isOver ? await this.#read(secret, kind, key) : known.principal;
    return principal && { principal, seen };
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

  #look(version: number | undefined): void {
    if (version === this.#version) return;
    this.#version = version;
    this.forget();
  }

  async #read(secret: string, kind: Principal["kind"], key: string): Promise<Principal | undefined> {
    const now = this.#context.clock.now().getTime();
    const age = this.#age;
    const token = await authenticateToken(secret, kind, this.#context);
    if (token === undefined) return undefined;
    this.#counted.set(key, true);
    const principal = principalOf(token, kind);
    // What was found may be over by now, if something was committed while it was looked for.
    if (age === this.#age) this.#keep(key, principal, now);
    return principal;
  }

  /** Nothing is kept where nobody tells of commits. */
  #keep(key: string, principal: Principal, now: number): void {
    if (!this.#isWatched) return;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(key, { principal, until: Math.min(now + KEPT_MS, Date.parse(principal.expiresAt)) });
  }
}

function principalOf({ id, role, user, agent, expiresAt }: TokenRecord, kind: Principal["kind"]): Principal {
  return { role: roleOf({ role, agent }), user, agent, token: id, kind, expiresAt };
}
