import { describe, expect, test } from "vitest";
import type { Io } from "./output.ts";
import { openProgress } from "./progress.ts";

describe("progress", () => {
  test("draws one line on a terminal and clears it [S-60]", () => {
    const { io, lines } = makeIo({});
    const progress = openProgress(io, "checking");
    progress.update(1, 20, "skills/pdf");
    progress.stop();
    expect(lines).toEqual(["\r\x1b[2Kchecking 1/20 skills/pdf", "\r\x1b[2K"]);
  });

  test("is not shown for short work [S-60]", () => {
    const { io, lines } = makeIo({});
    const progress = openProgress(io, "checking", { afterMs: 60_000 });
    progress.update(1, 2);
    progress.stop();
    expect(lines).toEqual([]);
  });

  test("is cleared by an interrupt and not drawn again [S-60]", () => {
    const interrupt = new AbortController();
    const { io, lines } = makeIo({ signal: interrupt.signal });
    const progress = openProgress(io, "checking");
    progress.update(1, 2);
    interrupt.abort();
    progress.update(2, 2);
    expect(lines).toEqual(["\r\x1b[2Kchecking 1/2", "\r\x1b[2K"]);
  });

  test("limits the redraw rate [S-60]", () => {
    const { io, lines } = makeIo({});
    const progress = openProgress(io, "checking");
    for (let done = 1; done <= 50; done++) progress.update(done, 50);
    expect(lines.length).toBeLessThan(10);
  });

  test("fits the terminal and escapes control characters [S-60]", () => {
    const { io, lines } = makeIo({ columns: 20 });
    openProgress(io, "checking").update(1, 2, "\u001b[31mevil\u001b[0m and long");
    expect(lines).toEqual(["\r\x1b[2Kchecking 1/2 \\u001…"]);
  });

  test.each<Partial<Io>>([{ isErrTty: false }, { json: true }, { env: { TERM: "dumb" } }])(
    "is silent with %j [S-60]",
    (part) => expect(drawn(part, false)).toEqual([]),
  );

  test("is silent with --quiet [S-60]", () => expect(drawn({}, true)).toEqual([]));
});

function drawn(part: Partial<Io>, quiet: boolean): readonly string[] {
  const { io, lines } = makeIo(part);
  const progress = openProgress(io, "checking", { quiet });
  progress.update(1, 2);
  progress.stop();
  return lines;
}

function makeIo(part: Partial<Io>) {
  const lines: string[] = [];
  const io: Io = {
    out: () => {},
    err: (text) => lines.push(text),
    pass: (text) => lines.push(text),
    command: () => "skillhold",
    hint: (text) => text,
    isOutTty: true,
    isErrTty: true,
    color: false,
    errColor: false,
    columns: 80,
    json: false,
    env: {},
    cwd: "/",
    input: () => undefined,
    tty: async () => undefined,
    signal: new AbortController().signal,
    ...part,
  };
  return { io, lines };
}
