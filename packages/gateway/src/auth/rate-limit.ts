import type { Clock } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";

export interface Rates {
  /** Requests a minute. */
  readonly token: number;
  readonly address: number;
}

interface Bucket {
  left: number;
  at: number;
  /** When it was put last. */
  readonly putAt: number;
}

/** Tries to sign in, a minute and an address. */
const UPGRADES = 10;
const SIGN_INS = 10;
const MOST_BUCKETS = 10_000;
const MINUTE = 60_000;
const SECOND = 1000;

/** Lets each token, and each address without one, ask so many times a minute: what is not used is saved for a minute. */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>();
  readonly #rates: Rates;
  readonly #clock: Clock;

  constructor(rates: Rates, clock: Clock) {
    this.#rates = rates;
    this.#clock = clock;
  }

  takeOf(token: string, count = 1): void {
    this.#take(`token ${token}`, this.#rates.token, count);
  }

  takeFrom(address: string): void {
    this.#take(`address ${address}`, this.#rates.address);
  }

  /**
   * Before an unknown token is looked for. Of an address that has nothing left as many are looked for again, since one
   * may be good, and then none.
   */
  takeLookup(address: string): void {
    const perMinute = this.#rates.address;
    if (this.#left(`address ${address}`, perMinute) < 1) this.#take(`lookup ${address}`, perMinute);
  }

  /** Whoever it is has not said so yet, and many may sit behind one address: they get ten times as many. */
  takeUpgrade(address: string): void {
    this.#take(`upgrade ${address}`, this.#rates.address * UPGRADES);
  }

  takeSignIn(address: string): void {
    this.#take(`sign-in ${address}`, SIGN_INS);
  }

  #take(key: string, perMinute: number, count = 1): void {
    const now = this.#clock.now().getTime();
    const left = this.#left(key, perMinute, now);
    this.#keep(key, left < count ? left : left - count, now);
    if (left < count) throw tooMany(secondsFor(count - left, perMinute));
  }

  #left(key: string, perMinute: number, now = this.#clock.now().getTime()): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return perMinute;
    // A clock may be put back.
    const passed = Math.max(0, now - bucket.at);
    return Math.min(perMinute, bucket.left + (passed * perMinute) / MINUTE);
  }

  /** Those that were used last stand last, within a second; of too many, the first goes. */
  #keep(key: string, left: number, now: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket !== undefined && Math.abs(now - bucket.putAt) < SECOND) {
      bucket.left = left;
      bucket.at = now;
      return;
    }
    this.#buckets.delete(key);
    this.#buckets.set(key, { left, at: now, putAt: now });
    if (this.#buckets.size <= MOST_BUCKETS) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}

function secondsFor(missing: number, perMinute: number): number {
  return Math.ceil((missing * 60) / perMinute);
}

function tooMany(seconds: number): SkillError {
  const retryAfter = Math.max(1, seconds);
  return new SkillError("RATE_LIMITED", "Too many requests.", {
    hint: `Wait ${retryAfter} s, then try again.`,
    details: { retryAfter },
  });
}
