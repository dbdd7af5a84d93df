import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ApiError, call } from "../../api/client.ts";
import type { SkillFile } from "./skill-view.ts";

/** How much of a file is shown; more is for an editor. */
export const SHOWN_BYTES = 512 * 1024;

export interface FilePlace {
  readonly id: string;
  readonly file: Pick<SkillFile, "path" | "digest" | "size">;
  readonly revision: number | undefined;
}

export interface UseFileOptions {
  readonly isWhole?: boolean;
  readonly enabled?: boolean;
}

/** The bytes of a file, or its beginning. They are kept by their digest, and so are never out of date. */
export function useFile(
  { id, file, revision }: FilePlace,
  { isWhole = false, enabled = true }: UseFileOptions = {},
): UseQueryResult<Blob, ApiError> {
  const isCut = !isWhole && file.size > SHOWN_BYTES;
  return useQuery({
    queryKey: ["file", id, file.path, file.digest, isCut],
    queryFn: ({ signal }) =>
      call("GET /v1/skills/{id}/files/{path}", {
        ...askFor({ id, file, revision }),
        ...(isCut ? { first: SHOWN_BYTES } : {}),
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
}

/** The whole of a file, to save it. */
export async function readFile(place: FilePlace): Promise<Blob> {
  return await call("GET /v1/skills/{id}/files/{path}", askFor(place));
}

function askFor({ id, file, revision }: FilePlace) {
  const query = revision === undefined ? {} : { revision: String(revision) };
  return { params: { id, path: file.path }, query };
}
