import { call, csrf } from "./client.ts";
import { recent } from "./recent.ts";
import { queries, useChange } from "./use-api.ts";

/** Ends the session at the gateway and clears its data from the browser. */
export function useSignOut(): { readonly leave: () => Promise<void>; readonly isLeaving: boolean } {
  const signOut = useChange("POST /v1/sign-out");
  const leave = async () => {
    const { url } = await call("POST /v1/sign-out/sso");
    await signOut.mutateAsync({});
    csrf.forget();
    recent.forget();
    queries.clear();
    window.location.assign(url ?? "/");
  };
  return { leave, isLeaving: signOut.isPending };
}
