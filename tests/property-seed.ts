import * as fc from "fast-check";

/**
 * Property tests draw the same cases on every run, so that a green suite stays green until the code changes.
 * `PROPERTY_SEED=$RANDOM npm test` looks at others; what it finds becomes a case of its own.
 */
fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 1) });
