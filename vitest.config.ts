import { defineConfig } from "vitest/config";

const conditions = ["@skillhold/source", "node", "import", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/system-setup.ts"],
    setupFiles: ["tests/property-seed.ts"],
    testTimeout: 30_000,
  },
});
