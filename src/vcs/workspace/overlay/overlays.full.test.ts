// Overlays of root, in a mount namespace alone.

import { test } from "vitest";
import { canMount, expectOverlays, isRoot, overlayTestName, root } from "../../../testing/vcs/overlay-runs.ts";

test.skipIf(!isRoot || !canMount(root))(overlayTestName, () => expectOverlays(root));
