/** A skill as the search reads it. */
export interface SearchDocument {
  readonly id: string;
  /** Content hash: documents with the same key are the same document. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The instructions with their headings and code; both carry words that tasks use. */
  readonly body: string;
  /** Text of the reference files, joined. */
  readonly references?: string;
  /** Requests that the author names as reasons to use the skill. */
  readonly triggers?: string;
  /** Requests that the author names as reasons not to use it. They lower the score. */
  readonly exclusions?: string;
}

export const searchFields = ["name", "description", "tags", "triggers", "body", "references"] as const;
export type SearchField = (typeof searchFields)[number];

export interface FieldRule {
  readonly bit: number;
  readonly weight: number;
  /** How much a long field counts against its words, from 0 (not at all) to 1. */
  readonly lengthPenalty: number;
  /** Words in a field of usual length. Fixed, so that a document's impacts never depend on other documents. */
  readonly usualLength: number;
}

/** Measured on public skills; the optimum is flat, so that the numbers are round. */
export const fieldRules: Readonly<Record<SearchField, FieldRule>> = {
  name: { bit: 1, weight: 10, lengthPenalty: 0.3, usualLength: 2.4 },
  description: { bit: 2, weight: 5, lengthPenalty: 0.5, usualLength: 33 },
  tags: { bit: 4, weight: 3, lengthPenalty: 0.3, usualLength: 6 },
  triggers: { bit: 32, weight: 2, lengthPenalty: 0.5, usualLength: 60 },
  body: { bit: 8, weight: 1, lengthPenalty: 0.75, usualLength: 800 },
  references: { bit: 16, weight: 0.3, lengthPenalty: 0.75, usualLength: 3400 },
};

/** Weight at which a term reaches half of the highest impact. */
const SATURATION = 3;
export const HIGHEST_IMPACT = 255;

/** The weighted frequency of a term as one byte, never 0. */
export function impactOf(weight: number): number {
  return Math.max(1, Math.round((HIGHEST_IMPACT * weight) / (weight + SATURATION)));
}

export function fieldsOf(bits: number): readonly SearchField[] {
  return searchFields.filter((field) => (bits & fieldRules[field].bit) !== 0);
}
