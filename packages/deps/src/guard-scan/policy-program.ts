import { isAbsolute } from "node:path";
import { collect } from "@skillhold/core/archive";
import { SkillError } from "@skillhold/protocol/error";
import { launch } from "@skillhold/sandbox/backend";
import { type GuardFinding, type GuardReport, sortFindings, verdictOf } from "@skillhold/skill/guard";
import { z } from "zod";

/** An operator's program that decides about skills, by OpenClaw's contract: JSON on stdin, JSON on stdout. */
export interface PolicyProgram {
  /** An absolute path, and arguments; no shell reads them. */
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

export interface PolicyQuestion {
  readonly version: string;
  readonly skill: string;
  /** The folder with the skill's files. */
  readonly folder: string;
  readonly origin: {
    readonly type: string;
    readonly registry?: string;
    readonly slug?: string;
    readonly version?: string;
  };
}

export type PolicyAnswer = z.infer<typeof Answer>;

const MAX_FINDINGS = 100;
const MAX_BYTES = 1_000_000;
const MAX_MS = 10_000;

const Answer = z
  .object({
    protocolVersion: z.literal(1),
    decision: z.enum(["allow", "warn", "block"]),
    reason: z.string().min(1).max(4000).optional(),
    findings: z
      .array(
        z.object({
          ruleId: z.string().min(1).max(200),
          severity: z.enum(["info", "warn", "critical"]),
          message: z.string().max(4000),
          file: z.string().max(1000).optional(),
          line: z.int().min(1).optional(),
          evidence: z.string().max(4000).optional(),
        }),
      )
      .max(1000)
      .optional(),
  })
  .refine(({ decision, reason }) => decision === "allow" || reason !== undefined, "a reason is missing")
  .refine(
    ({ decision, findings = [] }) => decision !== "warn" || findings.length <= MAX_FINDINGS,
    "there are too many findings",
  );

/**
 * Asks the program and adds its answer to the report. Fails closed: a program that cannot start, fails, takes longer
 * than ten seconds or answers anything else throws GUARD_FAILED.
 */
export async function askPolicy(
  program: PolicyProgram,
  question: PolicyQuestion,
  report: GuardReport,
  signal?: AbortSignal,
): Promise<GuardReport> {
  if (!isAbsolute(program.argv[0]))
    throw new SkillError("CONFIG_INVALID", `The policy program ${program.argv[0]} is not an absolute path.`);
  const answer = await run(program, question, signal);
  const { decision, reason = "", findings = [] } = answer;
  const added: GuardFinding[] = findings.map((finding) => ({
    ruleId: `policy:${finding.ruleId}`,
    severity: finding.severity === "critical" ? "block" : finding.severity,
    file: finding.file ?? "SKILL.md",
    line: finding.line ?? 1,
    message: finding.message,
    fix: "Ask the operator of this registry.",
    owasp: "LLM06",
    excerpt: (finding.evidence ?? "").slice(0, 160),
    digest: "",
  }));
  if (decision !== "allow") added.push(decisionFinding(decision, reason));
  const all = sortFindings([...report.findings, ...added]);
  return { ...report, findings: all, verdict: verdictOf(all) };
}

function decisionFinding(decision: "warn" | "block", reason: string): GuardFinding {
  return {
    ruleId: "policy-program",
    severity: decision,
    file: "SKILL.md",
    line: 1,
    message: `The operator's policy program says: ${reason}`,
    fix: "Ask the operator of this registry.",
    owasp: "LLM06",
    excerpt: "",
    digest: "",
  };
}

async function run(
  program: PolicyProgram,
  question: PolicyQuestion,
  signal?: AbortSignal,
): Promise<PolicyAnswer> {
  const late = AbortSignal.timeout(MAX_MS);
  const stop = signal === undefined ? late : AbortSignal.any([signal, late]);
  try {
    const child = await launch(program.argv, { env: program.env ?? {}, signal: stop });
    const kill = () => child.kill();
    stop.addEventListener("abort", kill, { once: true });
    try {
      child.stdin.end(JSON.stringify(requestOf(question)));
      child.stderr.resume();
      const output = await collect(bounded(child.stdout, kill));
      const { code } = await child.ended;
      if (stop.aborted) throw new Error("it took longer than ten seconds");
      if (code !== 0) throw new Error(`it ended with code ${code}`);
      return Answer.parse(JSON.parse(output.toString()));
    } finally {
      stop.removeEventListener("abort", kill);
      child.kill();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 300) : "";
    throw new SkillError("GUARD_FAILED", `The policy program ${program.argv[0]} gave no answer: ${why}`, {
      cause: error,
    });
  }
}

async function* bounded(stream: AsyncIterable<unknown>, kill: () => void): AsyncGenerator<unknown> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk instanceof Uint8Array ? chunk.length : 0;
    if (bytes > MAX_BYTES) {
      kill();
      throw new Error(`it answered more than ${MAX_BYTES} bytes`);
    }
    yield chunk;
  }
}

function requestOf({ version, skill, folder, origin }: PolicyQuestion): object {
  return {
    protocolVersion: 1,
    openclawVersion: version,
    targetType: "skill",
    targetName: skill,
    sourcePath: folder,
    sourcePathKind: "directory",
    source: { kind: "registry", authority: "skillhold", mutable: false, network: false },
    origin,
    request: { kind: "skill-install", mode: "publish" },
  };
}
