import type { Trust } from "@skillhold/protocol";

/** The words of the protocol package, whose schemas the console does not load. */
export const trustReasons: Readonly<Record<Trust, string>> = {
  builtin: "ships with Skillhold",
  org: "from an administrator or a provisioned folder",
  user: "from your own folders, or published by a user",
  third_party: "from a project, an agent, an installation or a server",
};
