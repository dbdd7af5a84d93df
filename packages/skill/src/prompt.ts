/** What the reference prompt shows of a skill. */
export interface PromptSkill {
  readonly name: string;
  readonly description: string;
  readonly location: string;
}

/** The `<available_skills>` block exactly as the reference implementation writes it. */
export function referencePrompt(skills: readonly PromptSkill[]): string {
  const lines = skills.flatMap(({ name, description, location }) => [
    "<skill>",
    "<name>",
    escapeXml(name),
    "</name>",
    "<description>",
    escapeXml(description),
    "</description>",
    "<location>",
    // The reference leaves the path as it is; a path with markup in it must not be able to close the element.
    escapeXml(location),
    "</location>",
    "</skill>",
  ]);
  return ["<available_skills>", ...lines, "</available_skills>"].join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

/** Escapes as Python's `html.escape` does, which the reference uses. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
