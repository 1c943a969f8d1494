// Overlays of a plain user, whose worker host is root in a user namespace of its own. Those of root are in every swarm of the whole-program
// tests where root runs them, and in the full tests.

import { test } from "vitest";
import { canMount, expectOverlays, overlayTestName, plain } from "../../../testing/vcs/overlay-runs.ts";

test.skipIf(!canMount(plain))(overlayTestName, () => expectOverlays(plain));
