import { createRequire, type ResolveFnOutput, type ResolveHookContext, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

type Resolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

/**
 * Resolves the packages that tools import, because a bundle has no node_modules. An installed package comes
 * first, else our zod and small shims for tool libraries are used. Also resolves TypeScript-style imports
 * (`./a.js` for a.ts, `./a`).
 */
export function installModuleHook(zodFolder: string): void {
  const insideZod = pathToFileURL(join(zodFolder, "package.json")).href;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!isMissing(error)) throw error;
        const found = resolveOtherwise(specifier, context, next, insideZod);
        if (found === undefined) throw error;
        return found;
      }
    },
  });
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return (
    code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND" || code === "ERR_UNSUPPORTED_DIR_IMPORT"
  );
}

function resolveOtherwise(
  specifier: string,
  context: ResolveHookContext,
  next: Resolve,
  insideZod: string,
): ResolveFnOutput | undefined {
  if (/^\.\.?\//.test(specifier)) return resolveAsTypeScript(specifier, context, next);
  // A package can import itself by name, so its own `exports` apply.
  if (/^zod(?:\/|$)/.test(specifier) && context.parentURL !== insideZod) {
    return context.conditions.includes("require")
      ? { url: pathToFileURL(createRequire(insideZod).resolve(specifier)).href, shortCircuit: true }
      : next(specifier, { ...context, parentURL: insideZod });
  }
  const standIn = standIns.get(specifier);
  return standIn === undefined ? undefined : { url: standInUrl(standIn), shortCircuit: true };
}

const standIns: ReadonlyMap<string, string> = new Map([
  ["ai", "shim-ai"],
  ["@ai-sdk/provider-utils", "shim-ai"],
  ["langchain", "shim-langchain"],
  ["@langchain/core/tools", "shim-langchain"],
]);

/** The shims have the same extension as this file: `.mts` in the sources, `.mjs` when published. */
function standInUrl(name: string): string {
  return new URL(`./${name}${import.meta.url.slice(-4)}`, import.meta.url).href;
}

function resolveAsTypeScript(
  specifier: string,
  context: ResolveHookContext,
  next: Resolve,
): ResolveFnOutput | undefined {
  for (const candidate of candidatesFor(specifier)) {
    try {
      return next(candidate, context);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

function candidatesFor(specifier: string): readonly string[] {
  if (/\.m?js$/.test(specifier)) return [specifier.replace(/js$/, "ts")];
  return [".ts", ".js", ".mts", ".mjs", "/index.ts", "/index.js"].map((end) => specifier + end);
}
