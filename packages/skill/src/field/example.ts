import { estimateTokens } from "../text/token.ts";
import { type FrontmatterMap, textList } from "../yaml/value.ts";

/** One few-shot example, from the field `examples:` or from a file below `examples/`. */
export interface Example {
  /** The file of the example; undefined for the field. */
  readonly file: string | undefined;
  readonly text: string;
}

export interface ExampleSelection {
  readonly examples: readonly Example[];
  /** The number of examples that did not fit in the budget. */
  readonly left: number;
}

export function declaredExamples(frontmatter: FrontmatterMap): readonly Example[] {
  return textList(frontmatter["examples"]).map((text) => ({ file: undefined, text }));
}

/** The examples that fit in a token budget, in order. An example that is too long does not block a shorter one. */
export function selectExamples(examples: readonly Example[], budget: number): ExampleSelection {
  let rest = budget;
  const chosen = examples.filter(({ text }) => {
    const cost = estimateTokens(text);
    if (cost > rest) return false;
    rest -= cost;
    return true;
  });
  return { examples: chosen, left: examples.length - chosen.length };
}
