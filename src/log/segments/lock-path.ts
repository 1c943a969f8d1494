// The lock of a log's one writer. By itself, for those who only ask whether somebody holds it.

import { join } from "node:path";

export const lockPath = (directory: string): string => join(directory, "writer.lock");
