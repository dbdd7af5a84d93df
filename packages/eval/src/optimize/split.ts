import type { TriggerQuery } from "../format/trigger-set.ts";
import { seededRandom, shuffle } from "../stats/random.ts";
import { paraphraseFamilies } from "./family.ts";

export interface Split {
  readonly train: readonly TriggerQuery[];
  readonly heldOut: readonly TriggerQuery[];
}

/**
 * Splits a trigger set by paraphrase family, with the same share of positives and negatives on both sides. The same
 * seed gives the same split.
 */
export function splitQueries(queries: readonly TriggerQuery[], { share = 0.4, seed = 42 } = {}): Split {
  const random = seededRandom(seed);
  const families = shuffle(paraphraseFamilies(queries), random);
  const train: TriggerQuery[] = [];
  const heldOut: TriggerQuery[] = [];
  for (const shouldTrigger of [true, false]) {
    const side = families.filter(([first]) => first?.shouldTrigger === shouldTrigger);
    const wanted = Math.round(side.flat().length * share);
    let held = 0;
    for (const family of side) {
      const isHeld = held < wanted && (held === 0 || held + family.length <= wanted + 1);
      (isHeld ? heldOut : train).push(...family);
      if (isHeld) held += family.length;
    }
  }
  return { train, heldOut };
}
