import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

// Without "import", which Node would also be given: what a package requires would then be its ES module.
const conditions = ["@skillhold/source", "node", "default"];

/** Tests of what a process has and holds: descriptors, memory, watches, children. Each file has a process of its own. */
const alone = [
  "packages/core/src/{archive,bundle,library}/**/*.test.ts",
  "packages/sandbox/src/**/*.test.ts",
  "packages/deps/src/environment/**/*.test.ts",
  "tests/{console,escape}/**/*.test.ts",
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    setupFiles: ["tests/property-seed.ts"],
    // Much of the work waits for disks and for processes it starts.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    testTimeout: 120_000,
    // The first who asks for a database waits for the start of the cluster.
    hookTimeout: 120_000,
    // On a busy machine what is waited for comes late, and what never comes fails a test all the same.
    expect: { poll: { timeout: 30_000 } },
    unstubEnvs: true,
    restoreMocks: true,
    projects: [
      {
        extends: true,
        test: {
          name: "sharing",
          include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...alone],
          globalSetup: ["tests/system-setup.ts", "tests/stage-setup.ts", "tests/postgres-setup.ts"],
          // To read the modules anew for each file takes longer than many of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: alone,
          globalSetup: ["tests/system-setup.ts", "tests/stage-setup.ts"],
        },
      },
    ],
  },
});
