import type { ScriptedCall } from "@skillhold/testing";

/** One reply of the scripted model. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
}

/** One request that the model got. */
export interface ModelCall {
  /** The first message of the user. */
  readonly conversation: string;
  readonly system: string;
  /** The whole request as JSON. */
  readonly text: string;
}

/** The request in no framework's form. */
export interface ModelInput {
  readonly system: string;
  readonly user: string;
  /** How many replies the conversation has. */
  readonly turn: number;
  readonly raw: unknown;
}

/** A model that replies by a script per conversation, so that it needs no state of its own. */
export class ScriptedModel {
  readonly calls: ModelCall[] = [];
  readonly #scripts: Readonly<Record<string, readonly Turn[]>>;
  readonly #before: (call: number) => void | Promise<void>;

  constructor(
    scripts: Readonly<Record<string, readonly Turn[]>>,
    before: (call: number) => void | Promise<void> = () => {},
  ) {
    this.#scripts = scripts;
    this.#before = before;
  }

  async reply({ system, user, turn, raw }: ModelInput): Promise<Turn> {
    const index = this.calls.push({ conversation: user, system, text: JSON.stringify(raw) }) - 1;
    await this.#before(index);
    const key = Object.keys(this.#scripts).find((each) => user.includes(each));
    const reply = key === undefined ? undefined : this.#scripts[key]?.[turn];
    if (reply === undefined) throw new Error(`The script has no turn ${turn} for ${JSON.stringify(user)}.`);
    return reply;
  }
}
