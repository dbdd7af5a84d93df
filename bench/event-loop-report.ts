import { watchLoop } from "./event-loop.ts";

/** Imported into a gateway: returns the longest block of its event loop since the last message. */
let end = watchLoop();
process.on("message", () => {
  process.send?.(end());
  end = watchLoop();
});
process.channel?.unref();
