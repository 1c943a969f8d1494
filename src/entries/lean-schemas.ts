// Schemas check values as they stand, without compiling code for each: a command that is over in a second compiles more than it checks.
// Imported before everything that makes a schema.

import { z } from "zod";

z.config({ jitless: true });
