import { text } from "node:stream/consumers";
import { bubblewrap } from "./bubblewrap.ts";
import { findInherited, launch } from "./process.ts";
import { roomyLimits } from "./trial.fixture.ts";

/** Runs as its own program, because only a parent process can leave a descriptor open. */
const list = ["/bin/ls", "-l", "/proc/self/fd"] as const;
const launched = await launch(list, { env: {} });
launched.stdin.end();
const plain = await text(launched.stdout);
const skill = process.argv[2] ?? "/usr/share";
const running = await bubblewrap().start({
  skill,
  mounts: [],
  network: "none",
  limits: roomyLimits,
  hasChannel: false,
  command: () => ({ argv: list, env: {} }),
});
running.stderr.resume();
const confined = await text(running.stdout);
const { code } = await running.exited;
await running.dispose();
process.stdout.write(
  JSON.stringify({ inherited: findInherited(), plain, confined, code, uid: process.getuid?.() }),
);
