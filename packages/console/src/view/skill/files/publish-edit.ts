import { ApiError, call } from "../../../api/client.ts";
import { upload } from "../../../api/upload.ts";
import { packFiles } from "../../publish/pack-folder.ts";
import type { SkillDetail, SkillFile } from "../skill-view.ts";
import { readFile } from "../use-file.ts";

export interface FileEdit {
  readonly path: string;
  /** Null deletes the file. */
  readonly text: string | null;
}

/** Publishes the skill with one file changed, added or deleted, and returns the new revision. Throws when the skill changed meanwhile. */
export async function publishEdit(
  { entry: { id }, files, treeHash }: SkillDetail,
  { path, text }: FileEdit,
): Promise<number | undefined> {
  const others = files.filter((file) => file.path !== path);
  const kept = others.map((file: SkillFile) => ({
    path: file.path,
    executable: file.executable,
    read: async () => new Uint8Array(await (await readFile({ id, file, revision: undefined })).arrayBuffer()),
  }));
  const executable = files.find((file) => file.path === path)?.executable === true;
  const written = { path, executable, read: async () => new TextEncoder().encode(text ?? "") };
  const body = await packFiles(text === null ? kept : [...kept, written]);
  const now = await call("GET /v1/skills/{id}", { params: { id } });
  if (now.treeHash !== treeHash)
    throw new ApiError({
      code: "PRECONDITION_FAILED",
      detail: `The skill ${id} changed since you opened the file.`,
      hint: "Copy your text, discard the edit, and edit the new content.",
    });
  const options = { query: { id }, onProgress: () => {}, signal: new AbortController().signal };
  const [result] = (await upload(body, options)).skills;
  if (result === undefined) throw new ApiError({ code: "INTERNAL", detail: "Nothing was published." });
  if (result.status === "failed")
    throw new ApiError({ code: result.error.code, detail: result.error.message, hint: result.error.hint });
  return result.revision;
}
