import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openLayeredLibrary, openLibrary } from "@skillhold/core/library";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { type Changed, openTestGateway, type TestGateway } from "./gateway.fixture.ts";

/** A gateway that serves the skills of a folder over those of its registry. */
export async function openFolderGateway(
  files: Readonly<Record<string, string | Uint8Array>>,
  change: Changed = {},
): Promise<TestGateway & { readonly root: string }> {
  const base = await openTestGateway();
  const { registry, context } = base;
  const root = join(base.folder, "local");
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const { host } = context;
  const skills = await openRegistryLibrary({ host }, registry);
  const settings = { disabledFolders: skills.disabledFolders };
  const sources = [{ label: "local", root, kind: "workspace", trust: "user" }] as const;
  const folders = await openLibrary({ sources, host, settings, watch: { debounceMs: 10 } });
  const library = openLayeredLibrary([folders, skills], { settings });
  const layered = await openTestGateway({ registry, skills, library, ...change });
  const close = async () => {
    await layered.close();
    await library.close();
    await base.close();
  };
  return { ...layered, registry, folder: base.folder, root, asRole: base.asRole, close };
}
