import type { TriggerQuery } from "../format/trigger-set.ts";
import { bootstrapMean, mean } from "../stats/interval.ts";
import { type Split, splitQueries } from "./split.ts";

/** How right a catalogue is about one query: 1 when every run was right, 0 when every run was wrong; undefined without a verdict. */
export type QueryScore = number | undefined;

/** Scores queries of a skill while some skills have other descriptions. */
export interface Scorer {
  score(
    skill: string,
    queries: readonly TriggerQuery[],
    descriptions: Readonly<Record<string, string>>,
  ): Promise<readonly QueryScore[]>;
}

/** Writes a new description from what failed. It never sees the held-out queries. */
export interface Improver {
  improve(context: ImproveContext): Promise<string | undefined>;
}

export interface ImproveContext {
  readonly skill: string;
  readonly description: string;
  readonly failures: readonly TriggerQuery[];
  readonly successes: readonly TriggerQuery[];
  /** Earlier attempts, with their scores on the training queries. */
  readonly history: readonly { readonly description: string; readonly trainScore: number }[];
}

export interface OptimizeRequest {
  readonly skill: string;
  readonly description: string;
  readonly queries: readonly TriggerQuery[];
  /** The trigger sets of the other skills in the catalogue, by id. */
  readonly others: ReadonlyMap<string, readonly TriggerQuery[]>;
  readonly iterations: number;
  readonly seed: number;
  readonly longest: number;
}

export interface Attempt {
  readonly description: string;
  readonly trainScore: number;
  readonly heldOutScore?: number;
  readonly decision: "accepted" | "rejected";
  readonly reason: string;
}

export interface OptimizeResult {
  readonly skill: string;
  readonly before: string;
  /** Undefined when the old description stays. */
  readonly after?: string;
  readonly trainScore: number;
  readonly heldOutScore: number;
  readonly bestHeldOutScore: number;
  readonly attempts: readonly Attempt[];
  readonly split: { readonly train: number; readonly heldOut: number };
}

export interface OptimizePorts {
  readonly scorer: Scorer;
  /** Scores the other skills; `scorer` by default. It must be exact: noise would look like harm. */
  readonly neighbors?: Scorer;
  readonly improver: Improver;
  readonly onAttempt?: (attempt: Attempt) => void;
}

/** The chance that noise alone passes any of the attempts. */
const ALPHA = 0.1;

/**
 * Looks for a description that triggers better. A candidate is accepted only when it is strictly better on held-out
 * queries, beyond what chance explains, and no other skill triggers worse. Of two that are equally good the shorter
 * one stays.
 */
export async function optimizeDescription(
  request: OptimizeRequest,
  ports: OptimizePorts,
): Promise<OptimizeResult> {
  const search = new DescriptionSearch(request, splitQueries(request.queries, { seed: request.seed }), ports);
  return await search.run();
}

interface Scored {
  readonly description: string;
  readonly train: readonly QueryScore[];
  readonly heldOut: readonly QueryScore[];
}

class DescriptionSearch {
  readonly #request: OptimizeRequest;
  readonly #split: Split;
  readonly #ports: OptimizePorts;
  readonly #attempts: Attempt[] = [];
  #best: Scored | undefined;

  constructor(request: OptimizeRequest, split: Split, ports: OptimizePorts) {
    this.#request = request;
    this.#split = split;
    this.#ports = ports;
  }

  async run(): Promise<OptimizeResult> {
    const { skill, description, iterations } = this.#request;
    const old = await this.#scoreBoth(description);
    let current = old;
    for (let round = 0; round < iterations; round += 1) {
      if (scoreOf(current.train) === 1 && scoreOf(current.heldOut) === 1) break;
      const candidate = await this.#propose(current);
      if (candidate === undefined) break;
      const attempt = await this.#try(candidate, old, current);
      this.#attempts.push(attempt);
      this.#ports.onAttempt?.(attempt);
      current = this.#accepted() ?? old;
    }
    const best = this.#accepted();
    return {
      skill,
      before: description,
      ...(best === undefined ? {} : { after: best.description }),
      trainScore: scoreOf(old.train),
      heldOutScore: scoreOf(old.heldOut),
      bestHeldOutScore: scoreOf((best ?? old).heldOut),
      attempts: this.#attempts,
      split: { train: this.#split.train.length, heldOut: this.#split.heldOut.length },
    };
  }

  /** Read through a method, because the compiler takes a field for unchanged across an await. */
  #accepted(): Scored | undefined {
    return this.#best;
  }

  async #propose({ description, train }: Scored): Promise<string | undefined> {
    const isRight = (index: number) => (train[index] ?? 0) >= 0.5;
    const text = await this.#ports.improver.improve({
      skill: this.#request.skill,
      description,
      failures: this.#split.train.filter((_, index) => !isRight(index)),
      successes: this.#split.train.filter((_, index) => isRight(index)),
      history: this.#attempts.map(({ description: tried, trainScore }) => ({
        description: tried,
        trainScore,
      })),
    });
    return text?.trim();
  }

  async #try(description: string, old: Scored, current: Scored): Promise<Attempt> {
    const reject = (reason: string, scores: Partial<Attempt> = {}): Attempt => ({
      description,
      trainScore: 0,
      ...scores,
      decision: "rejected",
      reason,
    });
    if (description === "") return reject("The description is empty.");
    if ([...description].length > this.#request.longest)
      return reject(`The description is longer than ${this.#request.longest} characters.`);
    if (description === old.description || this.#attempts.some((each) => each.description === description))
      return reject("The description was tried before.");
    const train = await this.#score(description, this.#split.train);
    const trainScore = scoreOf(train);
    if (trainScore < scoreOf(current.train)) return reject("The training score is worse.", { trainScore });
    const heldOut = await this.#score(description, this.#split.heldOut);
    const scores = { trainScore, heldOutScore: scoreOf(heldOut) };
    const doubt = this.#doubt({ description, train, heldOut }, old);
    if (doubt !== undefined) return reject(doubt, scores);
    const harmed = await this.#findHarm(description);
    if (harmed !== undefined) return reject(harmed, scores);
    this.#best = { description, train, heldOut };
    return {
      description,
      ...scores,
      decision: "accepted",
      reason: "Better on held-out queries, and no other skill triggers worse.",
    };
  }

  /** Why the held-out queries do not speak for a candidate. */
  #doubt(candidate: Scored, old: Scored): string | undefined {
    const differences = candidate.heldOut.flatMap((score, index) => {
      const before = old.heldOut[index];
      return score === undefined || before === undefined ? [] : [score - before];
    });
    const gain = mean(differences);
    if (gain <= 0) return "There is no gain on held-out queries.";
    // Only a loss would speak against it, so that the whole share lies on the lower side.
    const alpha = (2 * ALPHA) / this.#request.iterations;
    const interval = bootstrapMean(differences, { seed: this.#request.seed, alpha });
    if (interval === undefined || interval.low <= 0)
      return `The gain of ${gain.toFixed(2)} on held-out queries is within noise.`;
    const best = this.#best;
    if (best === undefined) return undefined;
    const ahead = scoreOf(candidate.heldOut) - scoreOf(best.heldOut);
    if (ahead < 0) return "An earlier candidate is better on held-out queries.";
    if (ahead === 0 && candidate.description.length >= best.description.length)
      return "An earlier candidate is as good and not longer.";
    return undefined;
  }

  /** The first other skill that triggers worse while this one has the new description. */
  async #findHarm(description: string): Promise<string | undefined> {
    const { skill, others } = this.#request;
    const { neighbors = this.#ports.scorer } = this.#ports;
    for (const [id, queries] of others) {
      if (id === skill) continue;
      const before = scoreOf(await neighbors.score(id, queries, {}));
      const after = scoreOf(await neighbors.score(id, queries, { [skill]: description }));
      if (after < before)
        return `${id} triggers worse with it: ${after.toFixed(2)} instead of ${before.toFixed(2)}.`;
    }
    return undefined;
  }

  async #scoreBoth(description: string): Promise<Scored> {
    const train = await this.#score(description, this.#split.train);
    return { description, train, heldOut: await this.#score(description, this.#split.heldOut) };
  }

  #score(description: string, queries: readonly TriggerQuery[]): Promise<readonly QueryScore[]> {
    const { skill } = this.#request;
    return this.#ports.scorer.score(skill, queries, { [skill]: description });
  }
}

/** The mean over queries with a verdict. */
function scoreOf(scores: readonly QueryScore[]): number {
  return mean(scores.filter((score) => score !== undefined));
}
