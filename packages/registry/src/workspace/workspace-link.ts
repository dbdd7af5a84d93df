import { SerialQueue } from "@skillhold/core/async";
import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { Operation } from "@skillhold/protocol/http";
import type { Limits } from "@skillhold/protocol/limits";
import type { CardPush } from "../record/workspace.ts";
import { ChangeWatch } from "../remote/change-watch.ts";
import type { AnswerOf, GatewayClient } from "../remote/gateway-client.ts";
import { cardSkills } from "./agent-card.ts";
import type { Peer } from "./compose-workspace.ts";
import type { LiveWorkspace } from "./live-workspace.ts";

/** Reports of the work of an agent, for its next heartbeat. */
export interface WorkReport {
  readonly task?: string;
  readonly activeTasks?: number;
  readonly errorRate?: number;
  readonly sampleError?: string;
}

export interface LinkPorts {
  readonly client: GatewayClient;
  readonly limits: Limits;
  readonly timers: Timers;
  /** The last results of pushes to other platforms. */
  readonly pushes: () => readonly CardPush[];
  /** Receives failures; the link tries again. */
  readonly onError: (error: unknown) => void;
}

const HEARTBEAT_MS = 30_000;
const WATCHED = ["workspace.card_updated", "workspace.status_changed", "workspace.changed", "agent.removed"];

/**
 * The connection of a workspace to its gateway: sends its card and heartbeats, and gives it the peers that the gateway
 * lists. While the gateway does not answer, the workspace keeps its last peers.
 */
export class WorkspaceLink {
  readonly #workspace: LiveWorkspace;
  readonly #ports: LinkPorts;
  readonly #watch: ChangeWatch;
  readonly #cancelHeartbeat: CancelTimer;
  readonly #stopListening: () => void;
  readonly #startedAt: number;
  #report: WorkReport = {};
  readonly #sending = new SerialQueue();
  #isRegistered = false;
  #isClosed = false;
  #sentCard: unknown;

  constructor(workspace: LiveWorkspace, ports: LinkPorts) {
    this.#workspace = workspace;
    this.#ports = ports;
    this.#startedAt = ports.timers.now();
    this.#stopListening = workspace.onChange(({ isCardChanged }) => {
      if (isCardChanged) void this.#enqueue(() => this.#sendCard());
    });
    const { client, limits, timers, onError } = ports;
    this.#watch = new ChangeWatch({
      ...{ client, limits, timers, onError },
      types: WATCHED,
      refresh: () => this.#refresh(),
    });
    this.#cancelHeartbeat = timers.every(HEARTBEAT_MS, () => void this.#enqueue(() => this.#sendHeartbeat()));
  }

  /** Resolves after the first attempt to register and to read the peers. */
  get started(): Promise<void> {
    return this.#watch.started;
  }

  /** Sends a heartbeat with this report now, and repeats it until the next report. */
  async report(report: WorkReport): Promise<void> {
    this.#report = report;
    await this.#enqueue(() => this.#sendHeartbeat());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    this.#cancelHeartbeat();
    this.#watch.stop();
    this.#ports.client.close();
    await this.#sending.idle();
  }

  /** A change through the gateway applies at once, without the quiet time of the files. */
  async #refresh(): Promise<void> {
    this.#workspace.reload();
    await this.#enqueue(() => this.#sendCard());
    const { id } = this.#workspace;
    const { data } = await this.#ports.client.ask("listPeers", { params: { workspace: id } });
    this.#workspace.setPeers(data.map(asPeer));
  }

  /** Registers once, then sends every changed card. */
  async #sendCard(): Promise<void> {
    const { id, card } = this.#workspace;
    if (this.#isRegistered && this.#sentCard === card) return;
    if (!this.#isRegistered)
      await this.#post("registerWorkspace", {
        id,
        agent_card: card,
        ...(card.url === undefined ? {} : { url: card.url }),
      });
    else await this.#post("updateWorkspaceCard", { workspace_id: id, agent_card: card });
    this.#isRegistered = true;
    this.#sentCard = card;
  }

  async #sendHeartbeat(): Promise<void> {
    const { task, activeTasks, errorRate, sampleError } = this.#report;
    const { timers, pushes } = this.#ports;
    await this.#sendCard();
    await this.#post("sendHeartbeat", {
      workspace_id: this.#workspace.id,
      uptime_seconds: Math.floor((timers.now() - this.#startedAt) / 1000),
      pushes: pushes(),
      ...(task === undefined ? {} : { current_task: task }),
      ...(activeTasks === undefined ? {} : { active_tasks: activeTasks }),
      ...(errorRate === undefined ? {} : { error_rate: errorRate }),
      ...(sampleError === undefined ? {} : { sample_error: sampleError }),
    });
  }

  async #post(
    operation: Extract<Operation, "registerWorkspace" | "updateWorkspaceCard" | "sendHeartbeat">,
    value: object,
  ) {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const body = new Blob([bytes]).stream();
    await this.#ports.client.send(operation, { body, size: bytes.length, type: "application/json" });
  }

  /** One request at a time, in order. A failed one is reported, and the next refresh or heartbeat sends the card again. */
  #enqueue(send: () => Promise<void>): Promise<void> {
    return this.#sending.run(send).catch((error: unknown) => {
      if (!this.#isClosed) this.#ports.onError(error);
    });
  }
}

function asPeer({ id, name, status, agent_card: card }: AnswerOf<"listPeers">[number]): Peer {
  const skills = card === null ? undefined : cardSkills(JSON.stringify(card)).map((skill) => skill.name);
  return { id, name, status, skills };
}
