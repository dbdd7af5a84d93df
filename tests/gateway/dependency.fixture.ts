import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Sandbox } from "@skillhold/core/run";
import {
  checkPorts,
  installPorts,
  makeFolder,
  sandbox,
} from "@skillhold/deps/test/environment/environment.fixture";
import type { DependencyPorts, Progress } from "@skillhold/gateway";
import type { DependencyEvent } from "@skillhold/protocol/http";
import type { RegistryContext } from "@skillhold/registry/record";
import { type PublishFolderOptions, publishFolder } from "@skillhold/registry/release";

/** The ports of dependency checks: the real sandbox, and a fake npm that creates the requested package. */
export function dependencyPorts(settings: Partial<DependencyPorts> & { npm?: string } = {}): DependencyPorts {
  const { npm, ...rest } = settings;
  const { home, host } = installPorts(npm === undefined ? {} : { npm });
  return { ...checkPorts(), home, host, copies: makeFolder(), ...rest };
}

/** A sandbox that holds all runs until it is opened. */
export function closedSandbox() {
  const gate = Promise.withResolvers<void>();
  const tried = Promise.withResolvers<void>();
  let starts = 0;
  const start: Sandbox["start"] = async (spec) => {
    starts += 1;
    tried.resolve();
    await gate.promise;
    return await sandbox.start(spec);
  };
  return {
    sandbox: { id: sandbox.id, probe: () => sandbox.probe(), start },
    /** Resolves on the first run. */
    tried: tried.promise,
    open: () => gate.resolve(),
    starts: () => starts,
  };
}

/** Publishes a skill with one script that imports these packages. */
export async function publishImports(
  id: string,
  packages: readonly string[],
  registry: RegistryContext,
  options: PublishFolderOptions = { by: { user: "ann", role: "publisher" } },
): Promise<void> {
  const folder = join(makeFolder(), id);
  const code = packages.map((name, at) => `import p${at} from "${name}";`).join("\n");
  const files = {
    "SKILL.md": `---\nname: ${id}\ndescription: About ${id}.\n---\nDo it.\n`,
    "scripts/a.mjs": `${code}\n`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await publishFolder(folder, options, registry);
}

/** Collects progress events and waits for them. */
export function listenTo(progress: Progress) {
  const events: DependencyEvent[] = [];
  const waiting = new Set<() => void>();
  progress.listen((event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  /** Resolves when the collected events match. */
  const until = (fits: (events: readonly DependencyEvent[]) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!fits(events)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const untilChecked = (slug: string, times = 1) =>
    until((all) => all.filter((e) => e.type === "skill.deps.checked" && e.slug === slug).length >= times);
  return { events, until, untilChecked };
}
