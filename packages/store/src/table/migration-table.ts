import { hash } from "node:crypto";
import type { Tx } from "../engine/db.ts";

export interface Migration {
  readonly name: string;
  /** One script for both engines, with the types of `Tx.script`. */
  readonly script: string;
  /** Changes existing rows where SQL alone cannot, after the script and in its transaction. */
  readonly fill?: (tx: Tx) => Promise<void>;
}

/** The checksum that a database keeps of a step. */
export function checksumOf({ script }: Pick<Migration, "script">): string {
  return hash("sha256", script, "hex");
}

/** Forward only: the position is the version, and a released step never changes. */
export const migrations: readonly Migration[] = [
  {
    name: "registry",
    // Columns for lists come before long ones, so that SQLite reads less.
    script: `
      create table skill (
        uid {text} not null primary key,
        id {text} not null unique,
        owner {text} not null,
        visibility {text} not null,
        is_system {int} not null,
        is_enabled {int} not null,
        status {text} not null,
        reason {text},
        deps {text} not null,
        revision {int} not null,
        last_revision {int} not null,
        tree_hash {text},
        override {text} not null,
        created_at {text} not null,
        updated_at {text} not null,
        deleted_at {text},
        embedding_model {text},
        embedding {bytes}
      ) {strict};
      create table revision (
        skill {text} not null references skill (uid) deferrable initially deferred,
        revision {int} not null,
        tree_hash {text} not null,
        skill_hash {text} not null,
        trust {text} not null,
        version {text},
        bytes {int} not null,
        files {int} not null,
        created_at {text} not null,
        purged_at {text},
        name {text} not null,
        description {text} not null,
        record {text} not null,
        provenance {text} not null,
        frontmatter {text} not null,
        manifest {text} not null,
        primary key (skill, revision)
      ) {strict};
      create table tree (
        hash {text} not null primary key,
        files {text} not null
      ) {strict};
      create table event (
        seq {int} not null primary key,
        at {text} not null,
        type {text} not null,
        skill {text},
        body {text} not null,
        hash {text} not null
      ) {strict};
      create index event_skill on event (skill, seq);
      create table blob (
        digest {text} not null primary key,
        size {int} not null,
        put_ms {int} not null,
        content {bytes} not null
      ) {strict}`,
  },
  {
    name: "access and audit",
    script: `
      create table agent (
        uid {text} not null primary key,
        key {text} not null unique,
        display_name {text} not null,
        runtime {text} not null,
        allow {text},
        pins {text} not null,
        owner {text} not null,
        created_at {text} not null,
        updated_at {text} not null,
        removed_at {text},
        manifest {text}
      ) {strict};
      create table account (
        name {text} not null primary key,
        display_name {text},
        created_at {text} not null
      ) {strict};
      create table skill_grant (
        skill {text} not null references skill (uid) deferrable initially deferred,
        kind {text} not null,
        key {text} not null,
        can_manage {int} not null,
        pin {int},
        granted_by {text} not null,
        at {text} not null,
        primary key (skill, kind, key)
      ) {strict};
      create table folder_toggle (
        id {text} not null primary key,
        is_enabled {int} not null,
        toggled_by {text} not null,
        at {text} not null
      ) {strict};
      alter table event add column session {text};
      create index event_session on event (session, seq) where session is not null;
      create table audit_head (
        id {int} not null primary key check (id = 1),
        origin {text} not null,
        seq {int} not null,
        hash {text} not null,
        roots {text} not null,
        note {text}
      ) {strict}`,
    fill: async (tx) => (await import("./migration-fill.ts")).makeHead(tx),
  },
  {
    name: "tokens and approvals",
    script: `
      create table token (
        id {text} not null primary key,
        kind {text} not null,
        name {text} not null,
        role {text} not null,
        account {text} not null,
        agent {text},
        hash {text} not null unique,
        created_by {text} not null,
        created_at {text} not null,
        expires_at {text} not null,
        revoked_at {text},
        last_used_at {text}
      ) {strict};
      create index token_expiry on token (expires_at, id);
      create index token_kind on token (kind, created_at, id);
      create table approval (
        id {text} not null primary key,
        key {text} not null unique,
        skill {text} not null,
        tree_hash {text} not null,
        act {text} not null,
        target {text} not null,
        approver {text} not null,
        at {text} not null,
        expires_at {text} not null
      ) {strict};
      create index approval_expiry on approval (expires_at, id)`,
  },
  {
    name: "agents by owner",
    script: "create index agent_owner on agent (owner, key) where removed_at is null",
  },
  {
    name: "search vectors",
    script: `
      create table search_vector (
        embedder {text} not null,
        key {text} not null,
        vector {bytes} not null,
        primary key (embedder, key)
      ) {strict}`,
  },
  {
    name: "guard reports and waivers",
    script: `
      create table guard_report (
        tree_hash {text} not null primary key,
        engine {text} not null,
        verdict {text} not null,
        report {text} not null,
        at {text} not null
      ) {strict};
      create table guard_waiver (
        id {text} not null primary key,
        skill {text} not null,
        rule {text} not null,
        file {text} not null,
        content_hash {text} not null,
        reason {text} not null,
        waived_by {text} not null,
        at {text} not null,
        expires_at {text}
      ) {strict};
      create index guard_waiver_skill on guard_waiver (skill, at, id)`,
  },
  {
    name: "what approvals cover",
    script: `alter table approval add column covers {text} not null default '{"requester":{},"widen":[]}'`,
  },
  {
    name: "audit keys",
    script: "create index event_audit_key on event (seq) where type = 'audit.key_changed'",
  },
  {
    name: "pending grants",
    script: `
      create table pending_grant (
        skill {text} not null references skill (uid) deferrable initially deferred,
        agent {text} not null,
        can_manage {int} not null,
        pin {int},
        requested_by {text} not null,
        at {text} not null,
        primary key (skill, agent)
      ) {strict};
      create index pending_grant_agent on pending_grant (agent, skill)`,
  },
  {
    name: "workspaces",
    script: `
      create table workspace (
        agent {text} not null primary key,
        parent {text},
        url {text},
        card {text},
        card_hash {text},
        card_at {text},
        status {text} not null,
        task {text} not null,
        health {text} not null,
        heartbeat_at {text},
        created_at {text} not null,
        updated_at {text} not null
      ) {strict}`,
  },
  {
    name: "eval results",
    script: `
      create table eval_result (
        id {text} not null primary key,
        skill {text} not null references skill (uid) deferrable initially deferred,
        tree_hash {text} not null,
        added_at {text} not null,
        added_by {text} not null,
        summary {text} not null,
        report {text} not null
      ) {strict};
      create index eval_result_skill on eval_result (skill, added_at, id)`,
  },
  {
    name: "proposals",
    script: `
      create table proposal (
        id {text} not null primary key,
        skill {text} not null,
        state {text} not null,
        account {text} not null,
        agent {text},
        session {text},
        candidate {text} not null,
        created_at {text} not null,
        updated_at {text} not null,
        body {text} not null
      ) {strict};
      create index proposal_skill on proposal (skill, created_at, id);
      create index proposal_state on proposal (state, created_at, id);
      create index proposal_session on proposal (session) where session is not null`,
  },
  {
    name: "events by actor, type and time",
    script: `
      alter table event add column agent {text};
      alter table event add column person {text};
      create index event_agent on event (agent, seq) where agent is not null;
      create index event_person on event (person, seq) where person is not null;
      create index event_type on event (type, seq);
      create index event_at on event (at, seq)`,
    fill: async (tx) => (await import("./migration-fill.ts")).nameActors(tx),
  },
  {
    name: "run outputs",
    script: `
      create table run_output (
        run {text} not null primary key,
        session {text} not null,
        at {text} not null,
        body {text} not null
      ) {strict};
      create index run_output_session on run_output (session, at);
      create index run_output_at on run_output (at)`,
  },
  {
    name: "webhooks",
    script: `
      create table webhook (
        id {text} not null primary key,
        created_at {text} not null,
        body {text} not null
      ) {strict};
      create table webhook_delivery (
        id {text} not null primary key,
        webhook {text} not null,
        state {text} not null,
        due_at {text} not null,
        created_at {text} not null,
        body {text} not null
      ) {strict};
      create index webhook_delivery_log on webhook_delivery (webhook, created_at, id);
      create index webhook_delivery_due on webhook_delivery (webhook, due_at, id) where state = 'pending'`,
  },
  {
    name: "passkeys",
    script: `
      alter table account add column role {text};
      alter table account add column inactive_since {text};
      create table passkey (
        id {text} not null primary key,
        account {text} not null,
        name {text} not null,
        credential {text} not null unique,
        public_key {text} not null,
        counter {int} not null,
        transports {text} not null,
        created_at {text} not null,
        last_used_at {text}
      ) {strict};
      create index passkey_account on passkey (account, created_at, id);
      create table sign_in_attempt (
        id {text} not null primary key,
        kind {text} not null,
        body {text} not null,
        expires_at {text} not null
      ) {strict};
      create index sign_in_attempt_expiry on sign_in_attempt (expires_at, id)`,
  },
  {
    name: "single sign-on identities",
    script: `
      create table sso_identity (
        issuer {text} not null,
        subject {text} not null,
        account {text} not null,
        created_at {text} not null,
        primary key (issuer, subject)
      ) {strict}`,
  },
  {
    name: "approvers of skills",
    script: `
      create table skill_approver (
        skill {text} not null references skill (uid) deferrable initially deferred,
        account {text} not null,
        primary key (skill, account)
      ) {strict};
      create index skill_owner on skill (owner, id);
      create index skill_grant_user on skill_grant (key, skill) where can_manage = 1`,
  },
  {
    name: "events by agent and type",
    script: "create index event_agent_type on event (agent, type, seq) where agent is not null",
  },
  {
    name: "search index",
    script: `
      create table search_index (
        id {int} not null primary key check (id = 1),
        pieces {text} not null
      ) {strict};
      create table search_piece (
        hash {text} not null primary key,
        content {bytes} not null
      ) {strict}`,
  },
  {
    // SQLite would choose the index of the type, and read all events of that type.
    name: "events by skill and type",
    script: "create index event_skill_type on event (skill, type, seq) where skill is not null",
  },
];
