// Opens a store for reading as any command does and says how long it took and what memory it needed: a process of its own, started
// by `measures.ts`, so that nothing else is in it.

import { nodeHost } from "../../src/adapters/node/host.ts";
import { openVcsView } from "../../src/app/vcs-store.ts";
import { unwrap } from "../../src/base/result.ts";
import { peakBytes } from "./machine.ts";

const startMs = performance.now();
const view = unwrap(await openVcsView(nodeHost(), process.argv[2] ?? ""), "open");
const seconds = (performance.now() - startMs) / 1_000;
const peak = peakBytes(process.pid) ?? process.memoryUsage().rss;
console.log(JSON.stringify({ seconds, peak, position: view.vcs.head(), commits: view.vcs.figures().commits }));
await view.close();
