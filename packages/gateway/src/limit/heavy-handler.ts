import type { Principal } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";
import type { RunningContext } from "../running-context.ts";

/**
 * The same handlers, of which those that take much memory or time wait at a gate. What may take long ends with the token
 * that it was let in by.
 */
export function gated(handlers: Handlers): Handlers {
  return {
    ...handlers,
    exportSkills: behind("heavy", handlers.exportSkills),
    downloadSkill: behind("heavy", handlers.downloadSkill),
    diffVersions: behind("heavy", handlers.diffVersions),
    rescanDependencies: behind("heavy", handlers.rescanDependencies),
    installDependencies: behind("heavy", handlers.installDependencies),
    installDependency: behind("heavy", handlers.installDependency),
    // What is sent is received first, for as long as that takes, and goes through the other gate when it is there.
    uploadSkills: behind("receiving", handlers.uploadSkills),
    importSkills: behind("receiving", handlers.importSkills),
    listTools: ending(handlers.listTools),
    callTool: ending(handlers.callTool),
    verifyAudit: ending(handlers.verifyAudit),
    getSandbox: ending(handlers.getSandbox),
  };
}

interface Gated {
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

function behind<Call extends Gated, Reply>(
  gate: "heavy" | "receiving",
  handle: (call: Call, context: RunningContext) => Promise<Reply>,
): (call: Call, context: RunningContext) => Promise<Reply> {
  return ending((call, context) =>
    context.gates[gate].pass(call.principal.token, () => handle(call, context), call.signal),
  );
}

function ending<Call extends Gated, Reply>(
  handle: (call: Call, context: RunningContext) => Promise<Reply>,
): (call: Call, context: RunningContext) => Promise<Reply> {
  return (call, context) =>
    context.calls.run(call.principal, call.signal, (signal) => handle({ ...call, signal }, context));
}
