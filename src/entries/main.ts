// The `skein` command with all that it can.

import { ALL_COMMANDS } from "../cli/all-commands.ts";
import { startCommand } from "./command.ts";

void startCommand(ALL_COMMANDS);
