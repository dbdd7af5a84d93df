import { csrf } from "./client.ts";
import { recent } from "./recent.ts";
import { queries, useChange } from "./use-api.ts";

/** Ends the session at the gateway and clears its data from the browser. */
export function useSignOut(): { readonly leave: () => Promise<void>; readonly isLeaving: boolean } {
  const signOut = useChange("POST /v1/sign-out");
  const leave = async () => {
    await signOut.mutateAsync({});
    csrf.forget();
    recent.forget();
    queries.clear();
    window.location.assign("/");
  };
  return { leave, isLeaving: signOut.isPending };
}
