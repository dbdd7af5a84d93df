/** Asks the user to prove their identity again; resolves to whether they did. */
type Ask = () => Promise<boolean>;

let current: Ask | undefined;

/** A call that needs a recent sign-in asks for one here, and is then repeated. */
export const confirmation = {
  ask: async () => (await current?.()) ?? false,
  /** Registers who asks, and returns the function that ends it. */
  answerBy: (ask: Ask) => {
    current = ask;
    return () => {
      if (current === ask) current = undefined;
    };
  },
};
