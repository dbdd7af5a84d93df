import { decodePart } from "../../ui/decode-part.ts";
import { SessionTrace } from "./session-trace.tsx";
import { Timeline } from "./timeline.tsx";

/** The whole record, or one session. */
export function ActivityLog({ session }: { readonly session: string | undefined }) {
  return session === undefined ? <Timeline /> : <SessionTrace key={session} session={decodePart(session)} />;
}
