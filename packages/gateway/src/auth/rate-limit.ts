import type { Clock } from "@skillhold/core";
import { SkillError } from "@skillhold/protocol/error";

export interface Rates {
  /** Requests a minute. */
  readonly token: number;
  readonly address: number;
}

interface Bucket {
  left: number;
  at: number;
}

/** Tries to sign in, a minute and an address. */
const SIGN_INS = 10;
const MOST_BUCKETS = 10_000;
const MINUTE = 60_000;

/** Lets each token, and each address without one, ask so many times a minute: what is not used is saved for a minute. */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>();
  readonly #rates: Rates;
  readonly #clock: Clock;

  constructor(rates: Rates, clock: Clock) {
    this.#rates = rates;
    this.#clock = clock;
  }

  takeOf(token: string): void {
    this.#take(`token ${token}`, this.#rates.token);
  }

  takeFrom(address: string): void {
    this.#take(`address ${address}`, this.#rates.address);
  }

  takeSignIn(address: string): void {
    this.#take(`sign-in ${address}`, SIGN_INS);
  }

  #take(key: string, perMinute: number): void {
    const now = this.#clock.now().getTime();
    const bucket = this.#buckets.get(key) ?? { left: perMinute, at: now };
    // A clock may be put back.
    const passed = Math.max(0, now - bucket.at);
    const left = Math.min(perMinute, bucket.left + (passed * perMinute) / MINUTE);
    this.#keep(key, { left: left < 1 ? left : left - 1, at: now });
    if (left < 1) throw tooMany(Math.ceil(((1 - left) * 60) / perMinute));
  }

  /** The one that was used last stands last; of too many, the first goes. */
  #keep(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= MOST_BUCKETS) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}

function tooMany(seconds: number): SkillError {
  const retryAfter = Math.max(1, seconds);
  return new SkillError("RATE_LIMITED", "Too many requests.", {
    hint: `Wait ${retryAfter} s, then try again.`,
    details: { retryAfter },
  });
}
