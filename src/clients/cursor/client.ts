// Cursor as the hook sees it.

import type { HookClient } from "../../sessions/client.ts";
import { toEvent } from "./event.ts";
import { toOutput } from "./output.ts";

export const cursor: HookClient = { name: "cursor", toEvent, toOutput };
