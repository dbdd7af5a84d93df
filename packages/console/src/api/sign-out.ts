import { csrf } from "./client.ts";
import { recent } from "./recent.ts";
import { queries, useChange } from "./use-api.ts";

/** The way out: the session ends at the gateway, and nothing of it stays in the browser. */
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
