import { useEffect, useState } from "react";
import { decodeText } from "./files/file-text.ts";
import { type FilePlace, type UseFileOptions, useFile } from "./use-file.ts";

export interface TextFile {
  readonly blob: Blob;
  /** Undefined when the file is not text. */
  readonly text: string | undefined;
}

export interface UseText {
  readonly data: TextFile | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** A file as text, where it is one. */
export function useText(place: FilePlace, options: UseFileOptions = {}): UseText {
  const { data: blob, error, refetch } = useFile(place, options);
  const [data, setData] = useState<TextFile>();
  useEffect(() => {
    let isOver = false;
    const read = async (bytes: Blob) => {
      const text = decodeText(new Uint8Array(await bytes.arrayBuffer()));
      if (!isOver) setData({ blob: bytes, text });
    };
    if (blob !== undefined) void read(blob);
    return () => {
      isOver = true;
    };
  }, [blob]);
  return { data: data?.blob === blob ? data : undefined, error, retry: () => void refetch() };
}
