import type { SkillFile } from "../skill-view.ts";

export type FileNode =
  | { readonly kind: "file"; readonly name: string; readonly file: SkillFile }
  | {
      readonly kind: "folder";
      readonly name: string;
      readonly path: string;
      readonly children: readonly FileNode[];
    };

/** Files as a tree: SKILL.md first, then folders, then files, each by name. */
export function treeOf(files: readonly SkillFile[], above = ""): readonly FileNode[] {
  const groups = Map.groupBy(files, ({ path }) => {
    const [first = "", ...more] = path.slice(above.length).split("/");
    return more.length === 0 ? `file ${first}` : `folder ${first}`;
  });
  const nodes = [...groups].flatMap(([key, group]): readonly FileNode[] => {
    const name = key.slice(key.indexOf(" ") + 1);
    if (key.startsWith("file ")) return group.map((file) => ({ kind: "file", name, file }));
    const path = `${above}${name}`;
    return [{ kind: "folder", name, path, children: treeOf(group, `${path}/`) }];
  });
  return nodes.toSorted((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name, "en"));
}

function rankOf(node: FileNode): number {
  if (node.kind === "folder") return 1;
  return node.file.role === "instructions" ? 0 : 2;
}
