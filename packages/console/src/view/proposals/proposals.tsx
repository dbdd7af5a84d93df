import { Page, Panel } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { boxes, readBox } from "./proposal.ts";
import { ProposalList } from "./proposal-list.tsx";
import { ProposalPage } from "./proposal-page.tsx";

const empties = {
  waiting: "No proposal waits for you",
  open: "No open proposals",
  closed: "No closed proposals",
} as const;

/** The inbox of proposed changes, and one proposal. */
export function Proposals({ proposal }: { readonly proposal: string | undefined }) {
  return proposal === undefined ? <Inbox /> : <ProposalPage key={proposal} id={proposal} />;
}

function Inbox() {
  const [read] = useAddress();
  const box = readBox(read("box"));
  return (
    <Page
      title="Proposals"
      about="Changes that agents and people propose. A reviewer approves one, then it becomes a revision."
    >
      <Tabs
        label="Lists of proposals"
        current={box}
        tabs={Object.keys(boxes).map((name) => ({ name, href: `/proposals?box=${name}` }))}
      />
      <div className="pt-4">
        <Panel>
          <ProposalList key={box} query={boxes[box]} empty={empties[box]} />
        </Panel>
      </div>
    </Page>
  );
}
