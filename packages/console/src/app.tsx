import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense } from "react";
import { Redirect, Route, Router, Switch } from "wouter";
import { SignedIn } from "./api/session.tsx";
import { queries } from "./api/use-api.ts";
import { Shell } from "./layout/shell.tsx";
import { part } from "./renewal.ts";
import { Failure, SkeletonRows } from "./ui/state.tsx";
import { Toasts } from "./ui/toast.tsx";
import { ForRole } from "./view/for-role.tsx";
import { Missing } from "./view/missing.tsx";
import { SignIn } from "./view/sign-in.tsx";
import { Skills } from "./view/skills/skills.tsx";

const Home = part(async () => (await import("./view/home/home.tsx")).Home);
const Skill = part(async () => (await import("./view/skill/skill.tsx")).Skill);
const Trash = part(async () => (await import("./view/skills/trash.tsx")).Trash);
const Publish = part(async () => (await import("./view/publish/publish.tsx")).Publish);
const Install = part(async () => (await import("./view/install/install.tsx")).Install);
const Sources = part(async () => (await import("./view/sources/sources.tsx")).Sources);
const CataloguePreview = part(
  async () => (await import("./view/catalogue/catalogue-preview.tsx")).CataloguePreview,
);
const SearchPlayground = part(
  async () => (await import("./view/search/search-playground.tsx")).SearchPlayground,
);
const Proposals = part(async () => (await import("./view/proposals/proposals.tsx")).Proposals);
const Approvals = part(async () => (await import("./view/approvals/approvals.tsx")).Approvals);
const ActivityLog = part(async () => (await import("./view/activity/activity-log.tsx")).ActivityLog);
const Dependencies = part(async () => (await import("./view/dependencies/dependencies.tsx")).Dependencies);
const Workspaces = part(async () => (await import("./view/workspaces/workspaces.tsx")).Workspaces);
const Agents = part(async () => (await import("./view/agents/agents.tsx")).Agents);
const Connect = part(async () => (await import("./view/connect/connect.tsx")).Connect);
const People = part(async () => (await import("./view/people/people.tsx")).People);
const Webhooks = part(async () => (await import("./view/webhooks/webhooks.tsx")).Webhooks);
const Tokens = part(async () => (await import("./view/tokens/tokens.tsx")).Tokens);
const Reference = part(async () => (await import("./view/reference/reference.tsx")).Reference);
const RelationMap = part(async () => (await import("./view/map/relation-map.tsx")).RelationMap);
const Settings = part(async () => (await import("./view/settings/settings.tsx")).Settings);

/** The console: every view has an address. */
export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Router base="">
        <SignedIn
          signIn={<SignIn />}
          waiting={<SkeletonRows count={3} />}
          failed={(error) => <Failure error={error} onRetry={() => window.location.reload()} />}
        >
          <Shell>
            <ForRole>
              <Suspense fallback={<SkeletonRows />}>
                <Switch>
                  <Route path="/">
                    <Redirect to="/home" replace />
                  </Route>
                  <Route path="/home" component={Home} />
                  <Route path="/skills" component={Skills} />
                  <Route path="/skills/:id/*?">
                    {({ id, "*": rest }) => <Skill key={id} id={id} rest={rest ?? ""} />}
                  </Route>
                  <Route path="/trash" component={Trash} />
                  <Route path="/publish" component={Publish} />
                  <Route path="/install" component={Install} />
                  <Route path="/sources" component={Sources} />
                  <Route path="/catalogue" component={CataloguePreview} />
                  <Route path="/search" component={SearchPlayground} />
                  <Route path="/proposals/:id?">{({ id }) => <Proposals proposal={id} />}</Route>
                  <Route path="/approvals" component={Approvals} />
                  <Route path="/activity/:session?">
                    {({ session }) => <ActivityLog session={session} />}
                  </Route>
                  <Route path="/dependencies" component={Dependencies} />
                  <Route path="/agents/:key?">{({ key }) => <Agents agent={key} />}</Route>
                  <Route path="/workspaces" component={Workspaces} />
                  <Route path="/connect" component={Connect} />
                  <Route path="/people" component={People} />
                  <Route path="/tokens" component={Tokens} />
                  <Route path="/webhooks" component={Webhooks} />
                  <Route path="/map" component={RelationMap} />
                  <Route path="/api" component={Reference} />
                  <Route path="/settings" component={Settings} />
                  <Route component={Missing} />
                </Switch>
              </Suspense>
            </ForRole>
          </Shell>
        </SignedIn>
      </Router>
      <Toasts />
    </QueryClientProvider>
  );
}
