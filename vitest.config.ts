import { defineConfig } from "vitest/config";

// Without "import", which Node would also be given: what a package requires would then be its ES module.
const conditions = ["@skillhold/source", "node", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/system-setup.ts", "tests/postgres-setup.ts"],
    setupFiles: ["tests/property-seed.ts"],
    // Much of the work waits for disks and for processes it starts.
    maxWorkers: "100%",
    testTimeout: 60_000,
    // The first who asks for a database waits for the start of the cluster.
    hookTimeout: 60_000,
  },
});
