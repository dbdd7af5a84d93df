/**
 * The requirements of Skillhold. A test that covers one cites its id in its name, such as `[S-12]`.
 * `tests/requirements.test.ts` fails on an unknown id and prints the requirements without a test.
 */
export const requirements: Readonly<Record<`S-${number}`, string>> = {
  // The package and its format
  "S-1": "A skill is a folder with a SKILL.md; known subfolders have roles; every other file is a resource.",
  "S-2":
    "One browser-safe parser: line fences, any BOM and line ending, bounded YAML 1.2, no data lost, no code run.",
  "S-3": "Invalid YAML is repaired and reported; a file that parses is never changed.",
  "S-4": "Profiles are a table of rules; every diagnostic has a code, severity, position, message and fix.",
  "S-5": "A skill's id comes from its folder, or at publish from slug and name; route names are reserved.",
  "S-6": "The author sets the version, and the store numbers the revisions.",
  "S-7": "A skill can name its runtimes; a malformed value never hides it.",
  "S-8": "OpenClaw requirements are read under every alias and give each skill a readiness with reasons.",
  "S-9": "A skill is of type context, hybrid or tool; a folder with only tools loads with a warning.",
  "S-10": "Examples and links are part of the instructions, within a budget.",
  "S-11": "Size advice is a warning; an oversized SKILL.md from an agent or an upload is rejected.",
  "S-12": "Activation substitutes folder and arguments in the body; shell syntax in a prompt stays text.",
  "S-13": "One packer decides which files belong to a skill, and one tree hash covers them.",
  // Sources, discovery, index
  "S-14": "Trust depends on the source of a skill, never on the skill.",
  "S-15": "Precedence between sources is a named policy; shadowing is reported.",
  "S-16": "Discovery reads metadata only, within bounds, and rejects links that leave the source.",
  "S-17": "A second start needs one stat per skill; content is verified by hash when it is used.",
  "S-18": "Edits are detected while running, as one diff; a broken edit keeps the last valid text.",
  "S-19": "No skill is dropped silently: every candidate can be explained.",
  // Disclosure
  "S-20": "Catalogue, instructions and resources are three levels, each on request.",
  "S-21": "The catalogue has four formats; all values are escaped and neutralized.",
  "S-22": "The catalogue stays within a budget and reports how many more skills search covers.",
  "S-23": "An agent manifest names its prompt, skills and pins; their order in the prompt is fixed.",
  "S-24": "Agents get a small set of skill tools with structured results.",
  "S-25": "An activation is recorded with the hash of its text; a repeated one returns a note.",
  "S-26": "A resource is read only from inside the skill.",
  "S-27": "People use skills by slash commands, through the same gate.",
  // Policy, scripts, sandbox
  "S-28": "Trust tiers decide what may run; approvals are bound to the content and the act.",
  "S-29": "Scripts run in a real sandbox or do not run.",
  "S-30": "Allowed tools are enforced by a strict matcher.",
  "S-31": "Every tool call carries the active skills.",
  "S-32": "Tools that a skill declares are offered under its name and run out of process.",
  "S-33": "Secrets are set by name, encrypted, injected into one run and redacted.",
  // Dependencies
  "S-34": "Dependencies are found by real parsers, with the position of each use.",
  "S-35": "Dependencies are checked in bulk; a timeout means unknown, not missing.",
  "S-36": "Dependencies are installed only when enabled, in isolation, from strictly checked names.",
  "S-37": "The runtimes of a machine are listed with their versions.",
  "S-38": "A missing dependency never hides a skill silently.",
  "S-39": "Start-up never waits for dependency checks.",
  // Registry
  "S-40": "Core skills come with the product and are seeded at each start.",
  "S-41": "Publishing is atomic, revisions are immutable, and a crash leaves the old or the new revision.",
  "S-42": "A malformed archive is rejected as a whole, and the error names the entry.",
  "S-43": "Visibility, grants and pins go through one gate that denies on failure.",
  "S-44": "Skills are switched on and off with actor and time.",
  "S-45": "Revisions can be listed, compared, rolled back, deleted and restored.",
  "S-46": "Export and import give the same bytes back; other tools' lock files are understood.",
  "S-47": "Skills are installed from many places, with provenance and signatures.",
  "S-48": "Public skills can be served onward for discovery.",
  "S-49": "Changes are proposed, reviewed by another person, and applied as a revision.",
  "S-50": "Repeated agent work can be promoted to a skill.",
  "S-51": "Skills are created, packaged and evaluated with one workflow.",
  "S-52": "Content is screened on entry; screening is triage, never a security boundary.",
  // Gateway, agents, workspaces
  "S-53": "The HTTP interface has one table of roles and routes, and one form of error.",
  "S-54": "The WebSocket interface has calls and resumable events.",
  "S-55": "Caches are invalidated by version, across processes too.",
  "S-56": "A workspace's configuration is live, and its agent card follows.",
  "S-57": "Skills are served and used over MCP.",
  "S-58": "Adapters give agent frameworks catalogue, tools and guard in three lines.",
  "S-59": "A web console shows and controls everything.",
  "S-60": "The command line does everything, for people and for scripts.",
  // Search
  "S-61": "Search is lexical and semantic behind one interface, with access decided first.",
  // Records
  "S-62": "All relevant acts are in an append-only, verifiable log.",
  "S-63": "Metrics are computed from the log.",
  // Stores, agents, limits, platforms
  "S-64": "SQLite by default, PostgreSQL for many gateways, one set of tests on both.",
  "S-65": "Agents are records that grants and tokens refer to.",
  "S-66": "Limits are one table in one file, each with a default and a range.",
  "S-67": "Linux supports everything; missing features of other platforms are reported.",
  // Front door, clients, people, operations
  "S-68":
    "openSkillhold opens library, sessions, registry, gateway and MCP in one call; every default can be replaced.",
  "S-69":
    "Common agent clients get the whole catalogue, instructions, prompts, declared tools and approvals.",
  "S-70": "People sign in by invitation, passkey, OIDC or link; each skill can have approvers.",
  "S-71": "Backup, restore, upgrade, retention and sizing are documented and tested on both engines.",
  "S-72": "Documents are in plain English, references are generated, and every example is run by a test.",
  "S-73": "A registry of 100,000 skills with several gateways is measured.",
};
