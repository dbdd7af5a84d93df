import { inject } from "vitest";

// Fails a test file before its imports do, which would only name a missing module.
const problem = inject("frameworksProblem");
if (problem !== "") throw new Error(problem);
