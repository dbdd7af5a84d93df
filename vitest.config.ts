import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

// Without "import", which Node would also be given: what a package requires would then be its ES module.
const conditions = ["@skillhold/source", "node", "default"];

/** Tests that measure or exhaust the machine, or kill processes at exact moments: a neighbor could change their result. */
const machine = [
  "packages/sandbox/src/{backend,egress}/!(seccomp).test.ts",
  "packages/deps/src/scan-process/*.test.ts",
  "tests/{escape,soak}/**/*.test.ts",
  "tests/gateway/{cache-process,disk-full,scan-thread}*.test.ts",
  "tests/{audit/record,dependency/package-attack,registry/crash,registry/proposal-crash}.test.ts",
  "tests/registry-exchange/seed-watch.test.ts",
  "tests/postgres-cluster.test.ts",
];

/** Tests with a browser, which all files of a worker share. */
const browser = ["tests/console/**/*.test.ts", "tests/gateway/{auth,docs}-browser.test.ts"];

/** Tests that start programs or servers, and wait for events of their own. */
const journey = [
  // The excepted files have no process, port or watch.
  "packages/core/src/archive/!(tar-register).test.ts",
  "packages/core/src/bundle/!(pack-trace|stamp|tree-hash).test.ts",
  "packages/core/src/library/!(access|bundle-reader|disclosure|layered-library|library|library-search|searched-file|skill-trigger).test.ts",
  "packages/sandbox/src/declared-tool/!(tool-name).test.ts",
  "packages/sandbox/src/run/!(run-inputs|run-limits|script-program).test.ts",
  "packages/deps/src/environment/!(dependency-warning|install-lock|runtime-memory|spec|specs-for|survey|system-install).test.ts",
  "packages/core-skills/src/**/journey.test.ts",
  "packages/mcp/src/server/{approval,run}.test.ts",
  "packages/eval/src/runner/**/*.test.ts",
  "packages/cli/src/command/{run,serve}/**/*.test.ts",
  "packages/cli/src/command/find/watch.test.ts",
  "packages/skillhold/src/**/*.test.ts",
  "packages/gateway/src/listen.test.ts",
  "tests/{install,mcp,mcp-host,run,workspace}/**/*.test.ts",
  "tests/gateway/{attack,call-end,dependency,guide,mcp,remote,serve,session,shutdown,skills-cli,socket,trace,two-gateways,upload,webhook}*.test.ts",
  "tests/cli-registry/no-account.test.ts",
  "tests/{launcher,lock,pack}.test.ts",
];

/** Tests with a database, with a command that opens one, or with large documents and the programs that check them. */
const store = [
  "packages/{store,host,cli,core-skills}/src/**/*.test.ts",
  "tests/{audit,backup,cli-registry,core-skills,dependency,gateway,platform,question,registry,registry-access,registry-exchange,registry-library,token}/**/*.test.ts",
  "tests/{deploy,docs,eval-docs,reference}.test.ts",
];

/** Tests with the real agent frameworks, which `globalSetup` installs into a cache. */
const frameworks = ["tests/adapters/**/*.test.ts"];

const everything = ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"];

/** The set-up of every project. */
const setup = ["tests/system-setup.ts", "tests/stage-setup.ts", "tests/compile-cache.ts"];

/** Many tests wait for a disk, a database or a program. */
const waitingWorkers = Math.ceil(1.5 * availableParallelism());

/**
 * Each project can run alone. Together they run in the order of their groups; machine tests run last, because their result
 * must not depend on neighbors.
 */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    setupFiles: ["tests/property-seed.ts", "tests/environment-setup.ts"],
    // A limit for tests that hang; a busy machine may be ten times slower.
    testTimeout: 300_000,
    // The first test that needs a database waits for the start of the cluster.
    hookTimeout: 300_000,
    // On a busy machine events come late, and a missing event fails the test all the same.
    expect: { poll: { timeout: 120_000 } },
    unstubEnvs: true,
    restoreMocks: true,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: everything,
          exclude: [...configDefaults.exclude, ...store, ...journey, ...browser, ...machine, ...frameworks],
          globalSetup: setup,
          // Loading the modules again for each file takes longer than most files.
          isolate: false,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "store",
          include: store,
          exclude: [...configDefaults.exclude, ...machine, ...journey, ...browser],
          globalSetup: [...setup, "tests/postgres-setup.ts"],
          isolate: false,
          maxWorkers: waitingWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "journey",
          include: journey,
          globalSetup: [...setup, "tests/postgres-setup.ts"],
          // A process for each file takes a second more than a shared one.
          isolate: false,
          maxWorkers: waitingWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: browser,
          globalSetup: [...setup, "tests/console/gateway-cache-setup.ts"],
          setupFiles: ["tests/console/browser-setup.ts"],
          isolate: false,
          maxWorkers: waitingWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "machine",
          include: machine,
          globalSetup: [...setup, "tests/postgres-setup.ts"],
          // Each file has its own process.
          isolate: true,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "frameworks",
          include: frameworks,
          globalSetup: [...setup, "tests/adapters/install-setup.ts"],
          setupFiles: ["tests/adapters/require-frameworks.ts"],
          maxWorkers: waitingWorkers,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
