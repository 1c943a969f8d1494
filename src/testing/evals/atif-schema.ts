// The published rules of ATIF 1.7 (RFC 0001 of the Harbor framework, and its models' validators), for the tests of what we write: no
// field beyond the format's, steps numbered from 1, results that name calls of their own step, and unique embedded ids.

import { z } from "zod";

const EXTRA = z.record(z.string(), z.unknown()).optional();
const WHOLE = z.number().int().min(0).optional();
const REF = z
  .strictObject({
    trajectory_id: z.string().optional(),
    session_id: z.string().optional(),
    trajectory_path: z.string().optional(),
    extra: EXTRA,
  })
  .refine((ref) => ref.trajectory_id !== undefined || ref.trajectory_path !== undefined, "a reference can be followed");
const STEP = z
  .strictObject({
    step_id: z.number().int().min(1),
    timestamp: z.iso.datetime({ offset: true }).optional(),
    source: z.enum(["system", "user", "agent"]),
    model_name: z.string().optional(),
    reasoning_effort: z.union([z.string(), z.number()]).optional(),
    message: z.string(),
    reasoning_content: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          tool_call_id: z.string().min(1),
          function_name: z.string().min(1),
          arguments: z.record(z.string(), z.unknown()),
          extra: EXTRA,
        }),
      )
      .optional(),
    observation: z
      .strictObject({
        results: z.array(
          z.strictObject({
            source_call_id: z.string().optional(),
            content: z.string().optional(),
            subagent_trajectory_ref: z.array(REF).optional(),
            extra: EXTRA,
          }),
        ),
      })
      .optional(),
    metrics: z
      .strictObject({
        prompt_tokens: WHOLE,
        completion_tokens: WHOLE,
        cached_tokens: WHOLE,
        cost_usd: z.number().optional(),
        extra: EXTRA,
      })
      .optional(),
    is_copied_context: z.boolean().optional(),
    llm_call_count: WHOLE,
    extra: EXTRA,
  })
  .refine(({ source, model_name, tool_calls, metrics, reasoning_content }) => {
    const own = [model_name, tool_calls, metrics, reasoning_content];
    return source === "agent" || own.every((field) => field === undefined);
  }, "only an agent's step has a model, calls and metrics")
  .refine(
    ({ llm_call_count: count, metrics }) => count !== 0 || metrics === undefined,
    "a step that asked no model has no metrics",
  )
  .refine(({ tool_calls: calls = [], observation }) => {
    const ids = new Set(calls.map(({ tool_call_id: id }) => id));
    return (observation?.results ?? []).every(({ source_call_id: id }) => id === undefined || ids.has(id));
  }, "a result names a call of its own step");

interface Trajectory {
  readonly trajectory_id?: string | undefined;
  readonly steps: readonly z.infer<typeof STEP>[];
  readonly subagent_trajectories?: readonly Trajectory[] | undefined;
}

export const ATIF: z.ZodType<Trajectory> = z.lazy(() =>
  z
    .strictObject({
      schema_version: z.literal("ATIF-v1.7"),
      session_id: z.string().optional(),
      trajectory_id: z.string().optional(),
      agent: z.strictObject({
        name: z.string().min(1),
        version: z.string().min(1),
        model_name: z.string().optional(),
        tool_definitions: z.array(z.record(z.string(), z.unknown())).optional(),
        extra: EXTRA,
      }),
      steps: z.array(STEP).min(1),
      notes: z.string().optional(),
      final_metrics: z
        .strictObject({
          total_prompt_tokens: WHOLE,
          total_completion_tokens: WHOLE,
          total_cached_tokens: WHOLE,
          total_cost_usd: z.number().optional(),
          total_steps: WHOLE,
          extra: EXTRA,
        })
        .optional(),
      continued_trajectory_ref: z.string().optional(),
      extra: EXTRA,
      subagent_trajectories: z.array(ATIF).optional(),
    })
    .refine(({ steps }) => steps.every(({ step_id: id }, index) => id === index + 1), "steps count from 1")
    .refine(({ subagent_trajectories: embedded = [] }) => {
      const ids = embedded.map(({ trajectory_id: id }) => id);
      return ids.every((id) => id !== undefined) && new Set(ids).size === ids.length;
    }, "embedded trajectories have ids of their own"),
);
