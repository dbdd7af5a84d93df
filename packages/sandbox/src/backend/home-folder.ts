import { homedir } from "node:os";

/** The home folder of this user, or undefined for a user id with neither `HOME` nor an entry in the passwd file. */
export function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    // Containers often run under a numeric user id without an account.
    return undefined;
  }
}
