import * as fc from "fast-check";

/**
 * Property tests draw the same cases on every run, so that a green suite stays green until the code changes.
 * `PROPERTY_SEED=$RANDOM npm test` draws other cases; add a separate test for each failure that it finds.
 */
fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 1) });
