import { defineConfig } from "vitest/config";

const conditions = ["@skillhold/source", "node", "default"];

/** Tests with the real programs of others, which are large: `npm run test:heavy` installs them into a cache. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["tests/{heavy,adapters}/**/*.heavy.ts"],
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
