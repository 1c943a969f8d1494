// The arguments of a file-reading call, as a transcript has them.

import { z } from "zod";

const ARGUMENTS = z.object({
  kind: z.literal("parsed"),
  value: z.object({ path: z.string(), offset: z.number().optional(), limit: z.number().optional() }),
});

export interface ReadArguments {
  readonly path: string;
  /** The first line, from 1. */
  readonly offset: number;
  /** Lines; null for as many as are shown. */
  readonly limit: number | null;
}

/** Null for arguments that name no file. */
export function readArguments(given: unknown): ReadArguments | null {
  const parsed = ARGUMENTS.safeParse(given);
  if (!parsed.success) return null;
  const { path, offset = 1, limit = null } = parsed.data.value;
  return { path, offset, limit };
}

export function argumentsPath(given: unknown): string | null {
  return readArguments(given)?.path ?? null;
}
