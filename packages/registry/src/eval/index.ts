export { addEvalResult, getEvalResult, latestEvals, summarizeEval } from "./eval-results.ts";
