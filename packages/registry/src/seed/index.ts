export { type SeedReport, type SeedResult, seedSkills } from "./seed.ts";
export { type SeedWatch, type WatchSeedsOptions, watchSeeds } from "./seed-watch.ts";
