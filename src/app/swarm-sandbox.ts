// Whether a swarm may begin: where no sandbox holds its agents' commands, the person has said that it may.

import { err, ok, type Result } from "../base/result.ts";
import type { OpenedSandbox } from "./sandbox.ts";

export interface NoSandboxAgreed {
  readonly kind: "no-sandbox";
  readonly reason: string;
  readonly remedy: string | null;
}

/** `agree` is asked only where there is none though one was wanted. */
export async function agreedOn(
  sandbox: OpenedSandbox,
  agree: (reason: string) => Promise<boolean>,
): Promise<Result<void, NoSandboxAgreed>> {
  if (sandbox.kind !== "none") return ok(undefined);
  const { reason, remedy } = sandbox;
  return (await agree(reason)) ? ok(undefined) : err({ kind: "no-sandbox", reason, remedy });
}
