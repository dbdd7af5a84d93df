import type { SearchState } from "@skillhold/core/semantic";
import { plain } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, ok, warn } from "./check.ts";

/** The index and the models of the search. Everything works without a model. */
export function checkSearch(state: SearchState | undefined): Check {
  const name = "search";
  if (state === undefined) return ok(name, "The gateway searches its own skills.");
  const { documents, vectors, reranker } = state;
  const index = `${count(documents, "skill")} indexed`;
  const problem = vectors?.problem ?? reranker?.problem;
  if (problem !== undefined)
    return warn(
      name,
      `${index}. A model fails: ${plain(problem)}`,
      "Correct or unset SKILLHOLD_EMBEDDER and SKILLHOLD_RERANKER, or run `skillhold search --setup` again.",
    );
  const embedder =
    vectors === undefined
      ? "ranked by words (`skillhold search --setup` adds an embedder)"
      : `embedder ${plain(vectors.embedder)} with ${count(vectors.ready, "vector")}${
          vectors.waiting > 0 ? `, ${vectors.waiting} to compute` : ""
        }`;
  const judge = reranker === undefined ? "" : `, reranker ${plain(reranker.reranker)}`;
  return ok(name, `${index}, ${embedder}${judge}.`);
}
