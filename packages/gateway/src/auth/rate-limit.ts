import type { Clock } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import { LRUCache } from "lru-cache";

/** Requests per minute. */
export interface Rates {
  readonly token: number;
  readonly address: number;
}

interface Bucket {
  readonly left: number;
  readonly at: number;
}

/** WebSocket upgrades per minute and address, as a multiple of the address rate. */
const UPGRADE_FACTOR = 10;
/** Sign-in attempts per minute, route and address. */
const SIGN_INS = 10;
const MAX_BUCKETS = 10_000;
const MINUTE = 60_000;

/** A token bucket per token, and per address for requests without a token. A bucket holds one minute of requests. */
export class RateLimit {
  /** The least recently used bucket is dropped. */
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });
  readonly #rates: Rates;
  readonly #clock: Clock;

  constructor(rates: Rates, clock: Clock) {
    this.#rates = rates;
    this.#clock = clock;
  }

  takeOf(token: string, count = 1): void {
    this.#take(`token ${token}`, this.#rates.token, count);
  }

  takeFrom(address: string, count = 1): void {
    this.#take(`address ${address}`, this.#rates.address, count);
  }

  /**
   * Called before a lookup of an unknown token. An address without requests left gets one more minute of lookups, since
   * its next token may be valid.
   */
  takeLookup(address: string): void {
    const perMinute = this.#rates.address;
    if (this.#left(`address ${address}`, perMinute) < 1) this.#take(`lookup ${address}`, perMinute);
  }

  /** An upgrade request has no token yet, and many clients may share an address, so the rate is ten times higher. */
  takeUpgrade(address: string): void {
    this.#take(`upgrade ${address}`, this.#rates.address * UPGRADE_FACTOR);
  }

  takeSignIn(key: string): void {
    this.#take(`sign-in ${key}`, SIGN_INS);
  }

  #take(key: string, perMinute: number, count = 1): void {
    const now = this.#clock.now().getTime();
    const left = this.#left(key, perMinute, now);
    this.#buckets.set(key, { left: left < count ? left : left - count, at: now });
    if (left < count) throw tooMany(secondsFor(count - left, perMinute));
  }

  #left(key: string, perMinute: number, now = this.#clock.now().getTime()): number {
    const bucket = this.#buckets.peek(key);
    if (bucket === undefined) return perMinute;
    // The clock may be set back.
    const passed = Math.max(0, now - bucket.at);
    return Math.min(perMinute, bucket.left + (passed * perMinute) / MINUTE);
  }
}

function secondsFor(missing: number, perMinute: number): number {
  return Math.ceil((missing * 60) / perMinute);
}

function tooMany(seconds: number): SkillError {
  const retryAfter = Math.max(1, seconds);
  return new SkillError("RATE_LIMITED", "Too many requests.", {
    hint: `Retry in ${retryAfter} s.`,
    details: { retryAfter },
  });
}
