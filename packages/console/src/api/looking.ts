/** Whose eyes to look through, as a query takes it. */
export interface Looking {
  readonly agent?: string;
  readonly user?: string;
}

/** The query parameters to view as an agent with a token of its own; without an agent, the view is the signed-in user's. */
export function lookingAs(agent: string): Looking {
  return agent === "" ? {} : { agent, user: `agent:${agent}` };
}
