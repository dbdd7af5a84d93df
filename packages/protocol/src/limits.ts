import { SkillError } from "./error.ts";

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;

/**
 * Every limit with its default and its allowed range. Sizes are bytes, times are milliseconds, lengths are
 * Unicode code points.
 */
export const limitTable = {
  skillFileBytes: { default: MB, min: KB, max: 16 * MB },
  writtenSkillFileBytes: { default: 100 * KB, min: KB, max: 16 * MB },
  frontmatterBytes: { default: 64 * KB, min: KB, max: MB },
  yamlDepth: { default: 64, min: 4, max: 256 },
  yamlTokens: { default: 6000, min: 1000, max: 1_000_000 },
  repairTokens: { default: 3000, min: 100, max: 100_000 },
  yamlNodes: { default: 10_000, min: 100, max: 1_000_000 },
  nameLength: { default: 64, min: 1, max: 255 },
  descriptionLength: { default: 1024, min: 64, max: 16_384 },
  compatibilityLength: { default: 500, min: 64, max: 16_384 },
  bodyTokens: { default: 8000, min: 100, max: 1_000_000 },
  adviceLines: { default: 500, min: 10, max: 100_000 },
  authoringLines: { default: 300, min: 10, max: 100_000 },
  exampleTokens: { default: 2000, min: 0, max: 100_000 },
  resourceReadBytes: { default: MB, min: KB, max: 64 * MB },
  archiveBytes: { default: 20 * MB, min: MB, max: 500 * MB },
  unpackedBytes: { default: 50 * MB, min: MB, max: 2 * GB },
  bundleFiles: { default: 2000, min: 1, max: 100_000 },
  archiveRatio: { default: 200, min: 10, max: 2000 },
  archiveSkills: { default: 50, min: 1, max: 1000 },
  pathDepth: { default: 16, min: 1, max: 64 },
  pathBytes: { default: 512, min: 64, max: 4096 },
  discoveryDepth: { default: 6, min: 1, max: 32 },
  discoveryFolders: { default: 250_000, min: 100, max: 5_000_000 },
  mcpResources: { default: 512, min: 1, max: 10_000 },
  mcpBytes: { default: 16 * MB, min: MB, max: GB },
  mcpPages: { default: 64, min: 1, max: 10_000 },
  mcpSkills: { default: 1000, min: 1, max: 100_000 },
  mcpListBytes: { default: 16 * MB, min: 64 * KB, max: 256 * MB },
  mcpServerBytes: { default: 256 * MB, min: MB, max: 10 * GB },
  mcpConnectMs: { default: 10_000, min: 100, max: 300_000 },
  mcpListMs: { default: 20_000, min: 100, max: 300_000 },
  mcpReadMs: { default: 30_000, min: 100, max: 300_000 },
  mcpWaitMs: { default: 5000, min: 10, max: 300_000 },
  remoteMs: { default: 30_000, min: 100, max: 300_000 },
  remotePollMs: { default: 30_000, min: 100, max: 3_600_000 },
  remoteAnswerBytes: { default: 64 * MB, min: 64 * KB, max: GB },
  remoteSkills: { default: 100_000, min: 1, max: 1_000_000 },
  remoteCacheBytes: { default: 256 * MB, min: MB, max: 10 * GB },
  catalogueSkills: { default: 40, min: 1, max: 10_000 },
  catalogueTokens: { default: 5000, min: 100, max: 1_000_000 },
  catalogueDescriptionLength: { default: 200, min: 20, max: 1024 },
  searchHits: { default: 20, min: 1, max: 1000 },
  runTrustedMs: { default: 300_000, min: 1000, max: 3_600_000 },
  runTrustedMemory: { default: GB, min: 64 * MB, max: 64 * GB },
  runUserMs: { default: 120_000, min: 1000, max: 3_600_000 },
  runUserMemory: { default: 512 * MB, min: 64 * MB, max: 64 * GB },
  runThirdPartyMs: { default: 60_000, min: 1000, max: 3_600_000 },
  runThirdPartyCpuMs: { default: 30_000, min: 1000, max: 3_600_000 },
  runThirdPartyMemory: { default: 512 * MB, min: 64 * MB, max: 64 * GB },
  runProcesses: { default: 64, min: 1, max: 4096 },
  runDiskBytes: { default: 50 * MB, min: MB, max: 10 * GB },
  runArgumentBytes: { default: 128 * KB, min: KB, max: 2 * MB },
  runOutputBytes: { default: MB, min: KB, max: 100 * MB },
  toolTextLength: { default: 30_000, min: 1000, max: 10_000_000 },
  toolStartMs: { default: 20_000, min: 100, max: 300_000 },
  toolCallMs: { default: 60_000, min: 100, max: 3_600_000 },
  // Below the time limits of common clients, which are 60 and 300 seconds.
  approvalWaitMs: { default: 50_000, min: 100, max: 86_400_000 },
  approvalAnswerMs: { default: 270_000, min: 100, max: 86_400_000 },
  approvalOpenMs: { default: 3_600_000, min: 100, max: 30 * 86_400_000 },
  approvalMs: { default: 15 * 60_000, min: 1000, max: 30 * 86_400_000 },
  tokenMs: { default: 90 * 86_400_000, min: 60_000, max: 3650 * 86_400_000 },
  signInMs: { default: 15 * 60_000, min: 10_000, max: 86_400_000 },
  webSessionMs: { default: 30 * 86_400_000, min: 60_000, max: 365 * 86_400_000 },
  // Sensitive acts need a sign-in that is not older.
  webSessionFreshMs: { default: 12 * 3_600_000, min: 60_000, max: 30 * 86_400_000 },
  passkeysPerUser: { default: 20, min: 1, max: 1000 },
  signInAttempts: { default: 10_000, min: 10, max: 1_000_000 },
  signInAttemptMs: { default: 5 * 60_000, min: 10_000, max: 3_600_000 },
  proposalsPerSkill: { default: 50, min: 1, max: 10_000 },
  proposalsPerSession: { default: 3, min: 1, max: 1000 },
  proposalTextLength: { default: 8000, min: 200, max: 100_000 },
  proposalEvidence: { default: 20, min: 1, max: 200 },
  evidenceOutputLength: { default: 4000, min: 200, max: 100_000 },
  webhooks: { default: 20, min: 0, max: 1000 },
  // Per webhook; older deliveries are deleted.
  webhookDeliveries: { default: 500, min: 10, max: 100_000 },
  webhookAttempts: { default: 10, min: 1, max: 50 },
  dependencyCheckMs: { default: 5000, min: 100, max: 300_000 },
  dependencyInstallMs: { default: 300_000, min: 1000, max: 3_600_000 },
} as const satisfies Record<string, LimitRow>;

export interface LimitRow {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

export type LimitName = keyof typeof limitTable;
export type Limits = Readonly<Record<LimitName, number>>;

export const defaultLimits: Limits = readDefaults();

/**
 * The defaults with some limits replaced. Throws CONFIG_INVALID for an unknown name or a value out of range.
 */
export function withLimits(settings: Readonly<Record<string, number>>): Limits {
  const limits: Record<string, number> = { ...defaultLimits };
  for (const [name, value] of Object.entries(settings)) {
    const row = Object.hasOwn(limitTable, name) ? limitTable[name as LimitName] : undefined;
    if (row === undefined) throw new SkillError("CONFIG_INVALID", `The limit ${name} does not exist.`);
    if (!Number.isSafeInteger(value) || value < row.min || value > row.max) {
      throw new SkillError(
        "CONFIG_INVALID",
        `The limit ${name} must be a whole number from ${row.min} to ${row.max}.`,
      );
    }
    limits[name] = value;
  }
  // Complete, because the copy started from the defaults.
  return limits as Limits;
}

function readDefaults(): Limits {
  const entries = Object.entries(limitTable).map(([name, row]) => [name, row.default]);
  // Complete, because the entries come from the table.
  return Object.fromEntries(entries) as Limits;
}
