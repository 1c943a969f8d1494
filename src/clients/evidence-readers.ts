// The evidence of each client that leaves any.

import type { EvidenceReader } from "../sessions/board/evidence.ts";
import { claudeCodeEvidence } from "./claude-code/evidence.ts";
import { codexEvidence } from "./codex/evidence.ts";
import { copilotEvidence } from "./copilot/evidence.ts";
import { geminiEvidence } from "./gemini/evidence.ts";

export const EVIDENCE_READERS: readonly EvidenceReader[] = [
  claudeCodeEvidence,
  codexEvidence,
  geminiEvidence,
  copilotEvidence,
];
