import { Mono } from "./text.tsx";

/** A sentence that shows text between backticks as code. */
export function CodeText({ text }: { readonly text: string }) {
  return text.split("`").map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence do not move.
      <Mono key={at} className="rounded bg-raised px-1">
        {part}
      </Mono>
    ),
  );
}
