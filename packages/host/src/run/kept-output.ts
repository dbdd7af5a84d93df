import type { RunContext, SkillRunner } from "@skillhold/core/run";
import type { Limits } from "@skillhold/protocol/limits";
import { redactSecrets } from "@skillhold/registry/promotion";
import type { RunOutput } from "@skillhold/registry/record";

export interface OutputKeeper {
  readonly limits: Limits;
  readonly keep: (output: RunOutput) => Promise<void>;
  /** A failure to keep an output never fails its run. */
  readonly onError: (error: unknown) => void;
}

/** A runner that keeps the ends of inputs and outputs, so that a person can read them in the session. */
export function keepOutputs(runner: SkillRunner, { limits, keep, onError }: OutputKeeper): SkillRunner {
  const end = (text: string) => endOf(redactSecrets(text), limits.evidenceOutputLength);
  const kept = (context: RunContext, texts: Partial<RunOutput>) => {
    const { run, log } = context;
    const about = { run, session: log.session, at: log.now().toISOString() };
    return keep({ input: undefined, stdout: "", stderr: "", result: undefined, ...about, ...texts }).catch(
      onError,
    );
  };
  return {
    listTools: (context) => runner.listTools(context),
    clearScript: (script, input, context) => runner.clearScript(script, input, context),
    clearTool: (tool, args, context) => runner.clearTool(tool, args, context),
    close: () => runner.close(),
    runScript: async (script, options, context) => {
      const ran = await runner.runScript(script, options, context);
      const input = options.stdin === undefined ? undefined : end(Buffer.from(options.stdin).toString());
      await kept(context, { input, stdout: end(ran.stdout), stderr: end(ran.stderr) });
      return ran;
    },
    callTool: async (tool, args, context) => {
      const answer = await runner.callTool(tool, args, context);
      await kept(context, { result: end(JSON.stringify(answer.result, null, 2) ?? "") });
      return answer;
    },
  };
}

function endOf(text: string, length: number): string {
  return text.length <= length ? text : `…${text.slice(-length).toWellFormed()}`;
}
