import { defineConfig } from "vitest/config";

// Without "import", which Node would also be given: what a package requires would then be its ES module.
const conditions = ["@skillhold/source", "node", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/system-setup.ts", "tests/postgres-setup.ts"],
    setupFiles: ["tests/property-seed.ts"],
    testTimeout: 30_000,
    // The first who asks for a database waits for the start of the cluster.
    hookTimeout: 60_000,
  },
});
