import { defineConfig } from "vitest/config";

const conditions = ["@skillhold/source", "node", "default"];

/** Drives the real agent clients against a fake model: `npm run test:clients` installs them into a cache. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["tests/clients/**/*.clients.ts"],
    maxWorkers: 1,
    testTimeout: 400_000,
    hookTimeout: 900_000,
  },
});
