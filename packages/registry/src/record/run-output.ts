/** The kept input and output of one run: bounded and without secrets. Not part of the audit log. */
export interface RunOutput {
  readonly run: string;
  readonly session: string;
  readonly at: string;
  /** The standard input of a script. */
  readonly input: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The result of a declared tool, as JSON. */
  readonly result: string | undefined;
}
