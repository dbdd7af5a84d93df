import { ApiError, call, csrf } from "./client.ts";

/**
 * Has the user sign in again at the provider, in a window of its own, so that the forms of this page stay. Resolves to the
 * user. Contract: called by a click, because browsers block other windows.
 */
export async function confirmWithSso(signal: AbortSignal): Promise<string> {
  const opened = window.open("about:blank", "_blank", "popup,width=520,height=720");
  if (opened === null)
    throw new ApiError({
      code: "INTERRUPTED",
      detail: "The browser blocked the window of the provider.",
      hint: "Allow pop-up windows for this page, and try again.",
    });
  // The opener policy of the console separates the windows, so that only a channel connects them.
  const channel = new BroadcastChannel("skillhold.confirmed");
  try {
    const confirmed = new Promise<string>((resolve, reject) => {
      channel.addEventListener("message", ({ data }) => {
        // The message can arrive before this window sees what the other one stored.
        csrf.keep(data.csrf);
        resolve(data.user);
      });
      signal.addEventListener("abort", () => reject(new ApiError({ code: "INTERRUPTED" })));
    });
    confirmed.catch(() => {});
    opened.location.href = (await call("POST /v1/sign-in/sso/start", { body: { confirm: true } })).url;
    return await confirmed;
  } catch (error) {
    opened.close();
    throw error;
  } finally {
    channel.close();
  }
}
