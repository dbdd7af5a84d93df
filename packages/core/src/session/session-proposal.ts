import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { neutralText } from "../catalogue/index.ts";
import type { Viewer } from "../library/viewer.ts";
import type { ScriptRun } from "../run/index.ts";
import type { Activation } from "./activation.ts";
import type {
  KeptRun,
  PromotedSkill,
  PromotionCall,
  ProposalRequest,
  Proposed,
  SkillProposer,
} from "./proposal.ts";
import type { SessionLog } from "./session-log.ts";

/** The session that the proposals belong to. */
export interface ProposalHost {
  readonly limits: Limits;
  readonly search: PromotionCall["search"];
  /** Does work while the session is open. */
  readonly open: <T>(work: () => Promise<T>) => Promise<T>;
}

const KEPT_RUNS = 20;

/** The proposals of a session: what it read, what it ran, and where proposals go. */
export class SessionProposals {
  readonly #viewer: Viewer;
  readonly #proposer: SkillProposer | undefined;
  readonly #log: SessionLog;
  readonly #host: ProposalHost;
  /** The last activation of each skill, also of those that are no longer active. */
  readonly #given = new Map<string, Activation>();
  readonly #runs: KeptRun[] = [];

  constructor(viewer: Viewer, proposer: SkillProposer | undefined, log: SessionLog, host: ProposalHost) {
    this.#viewer = viewer;
    this.#proposer = proposer;
    this.#log = log;
    this.#host = host;
  }

  get isPossible(): boolean {
    return this.#proposer !== undefined;
  }

  /** Notes the content that the agent was given, which is the base of a later proposal. */
  gave(activation: Activation): void {
    this.#given.set(activation.skill, activation);
  }

  /** Keeps the end of a run's output as evidence. */
  ran(result: ScriptRun): ScriptRun {
    const { run, skill, script, exitCode, outcome } = result;
    const [stdout, stderr] = [this.#end(result.stdout), this.#end(result.stderr)];
    this.#runs.push({ run, skill, script, exitCode, outcome, stdout, stderr });
    if (this.#runs.length > KEPT_RUNS) this.#runs.shift();
    return result;
  }

  /**
   * Proposes a change of a skill that this session read, or a new skill. The registry records a proposal; the session
   * records a denial.
   */
  propose(request: ProposalRequest): Promise<Proposed> {
    return this.#host.open(() => this.#recorded(request));
  }

  async #recorded(request: ProposalRequest): Promise<Proposed> {
    try {
      return await this.#propose(request);
    } catch (error) {
      if (error instanceof SkillError) {
        const { code: reason, message } = error;
        const denied = { type: "skill.denied", act: "propose", skill: request.skill ?? "" } as const;
        await this.#log.record({ ...denied, reason, message });
      }
      throw error;
    }
  }

  get canPromote(): boolean {
    return this.#proposer?.promote !== undefined && this.#viewer.agent !== undefined;
  }

  /** Promotes a workflow that the agent repeated to a skill, from a memory packet. */
  async promote(packet: unknown): Promise<PromotedSkill> {
    const { session } = this.#log;
    const { search } = this.#host;
    const promoted = await this.#host.open(
      async () => await this.#proposer?.promote?.(packet, this.#viewer, { session, search }),
    );
    if (promoted !== undefined) return promoted;
    throw new SkillError("POLICY_DENIED", "This session cannot promote workflows to skills.", {
      hint: "Open the session for a registered agent at a gateway.",
    });
  }

  async #propose(request: ProposalRequest): Promise<Proposed> {
    if (this.#proposer === undefined)
      throw new SkillError("POLICY_DENIED", "This session cannot propose changes of skills.", {
        hint: "Open the session with a `proposer` port.",
      });
    const { skill, evidence } = request;
    const base = skill === undefined ? undefined : this.#given.get(skill);
    if (skill !== undefined && base === undefined)
      throw new SkillError(
        "POLICY_DENIED",
        `This session has not read the skill ${neutralText(skill, 128)}. Read it first.`,
        { hint: "Call read_skill, then propose a change of the text that it returns." },
      );
    const named = evidence.flatMap(({ kind, value }) => (kind === "run" ? [value] : []));
    const runs = this.#runs.filter(
      (run) => named.includes(run.run) || (run.skill === skill && isFailed(run)),
    );
    return await this.#proposer.propose({ ...request, session: this.#log.session, base, runs }, this.#viewer);
  }

  #end(text: string): string {
    const { evidenceOutputLength: length } = this.#host.limits;
    return text.length <= length ? text : `…${text.slice(-length).toWellFormed()}`;
  }
}

function isFailed({ exitCode, outcome }: KeptRun): boolean {
  return exitCode !== 0 || outcome !== "exited";
}
