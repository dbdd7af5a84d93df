import type { Timers } from "@skillhold/core/port";
import type { TokenUsage } from "../model/usage.ts";

/** The most that an eval may spend; without a field there is no limit. */
export interface BudgetLimits {
  readonly tokens?: number;
  readonly usd?: number;
  readonly ms?: number;
}

/** Prices in US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export interface Spending {
  readonly tokens: number;
  /** Undefined when neither the runner nor a price says what it cost. */
  readonly usd?: number;
  readonly ms: number;
}

/** Counts what an eval spends. Work that has begun is finished, and no more is begun. */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #price: Price | undefined;
  readonly #timers: Timers;
  readonly #started: number;
  #tokens = 0;
  #usd: number | undefined;

  constructor(limits: BudgetLimits, price: Price | undefined, timers: Timers) {
    this.#limits = limits;
    this.#price = price;
    this.#timers = timers;
    this.#started = timers.now();
  }

  spend({ input, output }: TokenUsage, costUsd?: number): void {
    this.#tokens += input + output;
    const price = this.#price;
    const cost =
      costUsd ?? (price === undefined ? undefined : (input * price.input + output * price.output) / 1e6);
    if (cost !== undefined) this.#usd = (this.#usd ?? 0) + cost;
  }

  /** The limit that is reached, or undefined. */
  exhausted(): keyof BudgetLimits | undefined {
    const { tokens, usd, ms } = this.#limits;
    if (tokens !== undefined && this.#tokens >= tokens) return "tokens";
    if (usd !== undefined && (this.#usd ?? 0) >= usd) return "usd";
    if (ms !== undefined && this.#timers.now() - this.#started >= ms) return "ms";
    return undefined;
  }

  spent(): Spending {
    const usd = this.#usd === undefined ? {} : { usd: this.#usd };
    return { tokens: this.#tokens, ...usd, ms: this.#timers.now() - this.#started };
  }
}
