// The Agent Trajectory Interchange Format, as far as we write it. Readers refuse fields that the format does not have: what is ours stands
// in `extra`, and what is not known is left out.

/**
 * Harbor's ATIF, version 1.7 (RFC 0001 of the Harbor framework, https://harborframework.com/docs/trajectory-format). Its rules: `step_id`
 * counts from 1 without gaps; a result names a call of its own step; what a model said stands only in steps of source `agent`; embedded
 * trajectories have unique ids. Times are ISO 8601.
 */
export const atifVersion = "ATIF-v1.7";

type Extra = Readonly<Record<string, unknown>>;

export interface AtifTrajectory {
  readonly schema_version: typeof atifVersion;
  /** The run: parent and children share it. */
  readonly session_id: string;
  readonly trajectory_id: string;
  readonly agent: {
    readonly name: string;
    readonly version: string;
    readonly model_name: string;
    readonly extra: Extra;
  };
  readonly steps: readonly AtifStep[];
  readonly notes?: string;
  readonly final_metrics: AtifTotals;
  readonly extra?: Extra;
  readonly subagent_trajectories?: readonly AtifTrajectory[];
}

export interface AtifStep {
  readonly step_id: number;
  readonly timestamp: string;
  readonly source: "system" | "user" | "agent";
  readonly model_name?: string;
  readonly message: string;
  readonly tool_calls?: readonly AtifCall[];
  readonly observation?: { readonly results: readonly AtifResult[] };
  readonly metrics?: AtifMetrics;
  readonly llm_call_count?: number;
  readonly extra?: Extra;
}

export interface AtifCall {
  readonly tool_call_id: string;
  readonly function_name: string;
  readonly arguments: Extra;
  readonly extra?: Extra;
}

export interface AtifResult {
  readonly source_call_id: string;
  readonly content: string;
  readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string; readonly session_id: string }[];
  readonly extra?: Extra;
}

export interface AtifMetrics {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cached_tokens?: number;
  readonly cost_usd?: number;
  readonly extra?: Extra;
}

export interface AtifTotals {
  readonly total_prompt_tokens?: number;
  readonly total_completion_tokens?: number;
  readonly total_cached_tokens?: number;
  readonly total_cost_usd?: number;
  readonly total_steps: number;
  readonly extra?: Extra;
}
