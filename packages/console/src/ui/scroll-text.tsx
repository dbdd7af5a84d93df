import { classNames } from "./class-names.ts";

export interface ScrollTextProps {
  readonly label: string;
  readonly text: string;
  readonly className?: string;
}

/** Unformatted text in a box with its own scrolling. */
export function ScrollText({ label, text, className }: ScrollTextProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
      tabIndex={0}
      className={classNames("overflow-auto rounded-md border border-line bg-bg p-3", className)}
    >
      <pre className="font-mono text-xs whitespace-pre-wrap break-words">{text}</pre>
    </section>
  );
}
