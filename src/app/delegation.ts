// Delegation in a person's own directory: gives the family of agents its trees, models, transcripts and records. Every agent has the same
// tools and system prompt, of which those tools that its rights do not cover refuse: a provider's cache then holds one beginning for all.

import { dirname, join } from "node:path";
import type { Approvals } from "../agent/approval/approvals.ts";
import type { ChildHome, ChildMaker, ChildPlan } from "../agent/child-home.ts";
import { resourceAt } from "../agent/claim.ts";
import type { DelegationLimits } from "../agent/delegation-limits.ts";
import type { DelegateRequest } from "../agent/delegation-record.ts";
import { Family } from "../agent/family.ts";
import type { FamilyEvent } from "../agent/family-event.ts";
import { lostCallRule } from "../agent/lost-calls.ts";
import type { RunBudget } from "../agent/run-budget.ts";
import type { RunningCalls } from "../agent/running-calls.ts";
import { type LoadedSession, loadSession } from "../agent/session-load.ts";
import { openSessionLog } from "../agent/session-log.ts";
import type { AgentLimits, AgentPorts, Spill } from "../agent/spec.ts";
import { spillTo } from "../agent/spill.ts";
import type { Tool } from "../agent/tool.ts";
import type { AgentTrace } from "../agent/trace.ts";
import type { AgentId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import type { SandboxBox } from "../host/sandbox.ts";
import type { Message } from "../model/message.ts";
import type { Provider } from "../model/provider.ts";
import type { Price } from "../model/usage.ts";
import { delegateTaskTool } from "../tools/delegate-task.ts";
import type { ToolEnv } from "../tools/index.ts";
import { scopePath } from "../tools/path.ts";
import { restrictedTools } from "../tools/restricted.ts";
import { waitTaskTool } from "../tools/wait-task.ts";
import { type ChildTree, ChildTrees, type Tree } from "./child-trees.ts";
import { openDelegationFiles } from "./delegation-files.ts";
import { inSandbox } from "./in-sandbox.ts";
import type { RunHooks } from "./run-hooks.ts";
import type { OpenedSandbox } from "./sandbox.ts";
import type { RunDirectories } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

export interface DelegationSetup {
  readonly surroundings: Surroundings;
  readonly directories: RunDirectories;
  /** The agent at the top. */
  readonly agent: AgentId;
  /** Of every agent. */
  readonly system: string;
  readonly limits: AgentLimits;
  /** Of the agent at the top. */
  readonly toolEnv: ToolEnv;
  /** In the order in which they are offered, to every agent alike. */
  readonly tools: (env: ToolEnv) => readonly Tool[];
  /** Models that children may ask; the first is the usual one. */
  readonly models: readonly string[];
  /** Names of the only tools that agents have; null for all of them. */
  readonly toolNames: readonly string[] | null;
  /** What children may be given of their parent's conversation, the usual first; null for anything. */
  readonly childContexts: readonly DelegateRequest["context"][] | null;
  readonly openModel: (name: string) => Promise<Result<Provider, string>>;
  readonly budget: RunBudget;
  readonly delegation: DelegationLimits;
  readonly signal: AbortSignal;
  readonly running?: RunningCalls;
  readonly trace?: AgentTrace;
  readonly approvals?: Approvals;
  /** Where the commands of children with a copy of their own run. */
  readonly sandbox: OpenedSandbox;
  /** False where no agent may change anything. */
  readonly writable: boolean;
  /** The person's; null for none. */
  readonly hooks: Pick<RunHooks, "of" | "childStarted"> | null;
  /** Must not throw. */
  readonly onEvent: (event: FamilyEvent) => void;
  readonly onNote: (text: string) => void;
  /** The history of a run that goes on; empty for a new one. */
  readonly conversation: readonly Message[];
}

export interface Delegation {
  /** Of the agent at the top. */
  readonly tools: readonly Tool[];
  readonly ports: Pick<AgentPorts, "locks" | "notices">;
  /** Cancels one child. False where no such child is at work. */
  cancel(child: AgentId): boolean;
  /** Ends what runs and closes the records. */
  close(): Promise<void>;
}

export async function openDelegation(setup: DelegationSetup): Promise<Result<Delegation, FileError>> {
  const { surroundings, directories, agent, delegation, budget, signal, onEvent, onNote } = setup;
  const { files, clock } = surroundings.host;
  const log = await openDelegationFiles(files, directories.run, onNote);
  if (!log.ok) return log;
  const trees = new ChildTrees(surroundings, directories, setup.toolEnv);
  const homes = new Homes(setup, trees, {
    announce: (request, call) => family.announce(request, call),
    settled: (call) => family.settled(call),
    delegate: (request, call) => family.delegate(request, call),
    wait: (ids, call) => family.wait(ids, call),
  });
  const family: Family = new Family({
    top: agent,
    clock,
    limits: delegation,
    maker: homes,
    log: log.value,
    requestsOf: (child, model) => ({
      beforeRequest: async (plan) =>
        budget.before({ agent: child, price: await homes.priceOf(model), usdMax: delegation.childUsdMax }, plan),
      afterRequest: async (report) => budget.after(child, report),
    }),
    signal,
    onEvent: (event) => {
      if (event.kind === "child-ended") budget.done(event.child);
      onEvent(event);
    },
    before: { entries: log.value.before, lastSeq: log.value.lastSeq, conversation: setup.conversation },
  });
  return ok({
    tools: homes.toolsIn(setup.toolEnv),
    ports: { locks: trees.topTree.locks, notices: family.noticesFor(agent) },
    cancel: (child) => family.cancel(child),
    close: async () => {
      await family.close();
      await trees.close();
      await log.value.close();
    },
  });
}

type Delegating = Pick<Family, "announce" | "settled" | "delegate" | "wait">;

class Homes implements ChildMaker {
  private readonly setup: DelegationSetup;
  private readonly trees: ChildTrees;
  /** The same for every agent: who calls is in the call. */
  private readonly delegating: readonly Tool[];
  /** Of children that have one of their own, and of those that share one. */
  private readonly treeOf = new Map<AgentId, Tree>();

  constructor(setup: DelegationSetup, trees: ChildTrees, family: Delegating) {
    this.setup = setup;
    this.trees = trees;
    const [usual, ...others] = setup.childContexts ?? [];
    const contexts = usual === undefined ? undefined : ([usual, ...others] as const);
    this.delegating = [delegateTaskTool({ family, models: setup.models, contexts }), waitTaskTool(family)];
    this.treeOf.set(setup.agent, trees.topTree);
  }

  get models(): readonly string[] {
    return this.setup.models;
  }

  toolsIn(env: ToolEnv): readonly Tool[] {
    const { tools, toolNames } = this.setup;
    const all = [...tools(env), ...this.delegating];
    return toolNames === null ? all : all.filter(({ spec }) => toolNames.includes(spec.name));
  }

  async priceOf(model: string): Promise<Price | null> {
    const provider = await this.setup.openModel(model);
    return provider.ok ? provider.value.price : null;
  }

  spillOf(agent: AgentId): Spill {
    const { surroundings, agent: top, toolEnv } = this.setup;
    const directory = agent === top ? toolEnv.spillDirectory : this.outputsOf(agent);
    return spillTo(surroundings.host.files, directory);
  }

  async make(plan: ChildPlan): Promise<Result<ChildHome, string>> {
    const { setup } = this;
    const { child, parent, request, turn, index } = plan.asked;
    const { files } = setup.surroundings.host;
    const provider = await setup.openModel(plan.model);
    if (!provider.ok) return provider;
    const from = this.treeOf.get(parent) ?? this.trees.topTree;
    const spillDirectory = this.outputsOf(child);
    const { resumed, signal } = plan;
    const copied =
      request.isolation === "workspace"
        ? await this.trees.copy({ child, from, spillDirectory, resumed, signal })
        : ok<ChildTree | null>(null);
    if (!copied.ok) return copied;
    const own = copied.value;
    const tree: Tree = own ?? { ...from, spillDirectory };
    this.treeOf.set(child, tree);
    const path = this.transcriptOf(child);
    const given: ToolEnv = {
      ...setup.toolEnv,
      root: tree.root,
      spillDirectory,
      writeScope: plan.writes,
      hidden: plan.hidden,
    };
    // Whoever shares a tree shares its box.
    const env =
      tree.root === setup.toolEnv.root ? given : inSandbox(given, { sandbox: setup.sandbox, box: this.boxOf(tree) });
    const tools = restrictedTools(this.toolsIn(env), plan.writes);
    const session = resumed ? await this.sessionOf(path, tools) : ok(null);
    if (!session.ok) return session;
    const record = await openSessionLog(files, path, { agent: child, parent, startedBy: { turn, index } });
    if (!record.ok) return err(`its transcript cannot be opened: ${record.error.message}`);
    const { running, trace, hooks, approvals } = setup;
    const who = { agent: child, parent, root: tree.root, transcript: path };
    const told = session.value === null ? await hooks?.childStarted(who, signal) : undefined;
    return ok({
      spec: { system: setup.system, tools, limits: setup.limits },
      ports: {
        provider: provider.value,
        locks: tree.locks,
        spill: spillTo(files, spillDirectory),
        ...(running === undefined ? {} : { running }),
        ...(trace === undefined ? {} : { trace }),
        ...(approvals === undefined ? {} : { gate: approvals.gateFor({ root: tree.root, tools }) }),
        ...(hooks === null ? {} : { hooks: hooks.of(who) }),
      },
      ...(told === undefined ? {} : { told }),
      record: record.value,
      session: session.value,
      finish: own === null ? null : (outcome) => own.bring(outcome),
      close: async () => {
        this.treeOf.delete(child);
        await record.value.close();
      },
    });
  }

  /** Paths that lead elsewhere are refused: two names of one directory would be two children's. */
  async scopeIn(agent: AgentId, paths: readonly string[]): Promise<Result<readonly string[], string>> {
    const { root, spillDirectory } = this.treeOf.get(agent) ?? this.trees.topTree;
    const env = { files: this.setup.surroundings.host.files, root, spillDirectory };
    const resources: string[] = [];
    for (const path of paths) {
      const resolved = await scopePath(env, path);
      if (!resolved.ok) return err(`write_scope: ${resolved.error}`);
      resources.push(resourceAt(resolved.value));
    }
    return ok(resources);
  }

  private boxOf({ root }: Tree): Omit<SandboxBox, "root"> {
    return {
      writable: this.setup.writable,
      guarded: [],
      temporary: join(dirname(root), "tmp"),
      shown: [this.trees.gitBases],
    };
  }

  private async sessionOf(path: string, tools: readonly Tool[]): Promise<Result<LoadedSession | null, string>> {
    const { files } = this.setup.surroundings.host;
    const loaded = await loadSession(files, path, { lostCalls: lostCallRule(tools) });
    if (loaded.ok) return loaded;
    // It had not begun.
    if (loaded.error.kind === "file" && loaded.error.code === "not-found") return ok(null);
    return err(`its transcript ${path} cannot be read`);
  }

  private transcriptOf(agent: AgentId): string {
    return join(this.setup.directories.agents, `${agent}.jsonl`);
  }

  private outputsOf(agent: AgentId): string {
    return join(this.setup.directories.agents, `${agent}.outputs`);
  }
}
