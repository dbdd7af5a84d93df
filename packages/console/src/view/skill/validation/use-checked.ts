import type { Profile, Validation } from "@skillhold/skill";
import { useEffect, useState } from "react";
import type { SkillDetail } from "../skill-view.ts";

export type Checked = Validation;

export const profileNames: readonly { readonly name: Profile; readonly about: string }[] = [
  { name: "publish", about: "What the registry accepts." },
  { name: "strict", about: "The specification, to the letter." },
  { name: "lenient", about: "What can be loaded at all." },
  { name: "mcp", about: "What can be served under the MCP skills extension." },
  { name: "molecule", about: "Molecule's audit." },
  { name: "authoring", about: "Recommended limits for authors." },
];
export const defaultProfile: Profile = "publish";

interface Done {
  readonly key: string;
  readonly result: Checked | Error;
}

/** Checks a text, once there is one. The checks are fetched when they are first needed. */
export function useChecked(
  text: string | undefined,
  profile: Profile,
  { entry: { id }, files, treeHash }: Pick<SkillDetail, "entry" | "files" | "treeHash">,
): Checked | Error | undefined {
  const [done, setDone] = useState<Done>();
  const key = `${treeHash} ${profile}`;
  useEffect(() => {
    let isOver = false;
    const run = async (written: string) => {
      const { validateText } = await import("@skillhold/skill");
      return validateText(written, profile, { id, files });
    };
    const take = (result: Checked | Error) => {
      if (!isOver) setDone({ key, result });
    };
    if (text !== undefined)
      run(text).then(take, (error: unknown) =>
        take(error instanceof Error ? error : new Error(String(error))),
      );
    return () => {
      isOver = true;
    };
  }, [text, profile, id, files, key]);
  return done?.key === key ? done.result : undefined;
}
