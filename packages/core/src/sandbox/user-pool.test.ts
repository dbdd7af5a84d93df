import { expect, test } from "vitest";
import { takeUser } from "./user-pool.ts";

test.runIf(process.platform === "linux")(
  "no two runs share a user, and one that is given back serves again [S-29]",
  () => {
    const users = Array.from({ length: 100 }, () => takeUser()).filter((user) => user !== undefined);
    const ids = users.map(({ uid }) => uid);
    expect(new Set(ids).size).toBe(ids.length);
    for (const uid of ids) {
      expect(uid).toBeGreaterThanOrEqual(61_184);
      expect(uid).toBeLessThan(65_184);
    }
    for (const user of users) user.release();
    const again = takeUser();
    expect(again?.uid).toBe(ids[0]);
    again?.release();
  },
);
