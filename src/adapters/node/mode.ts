// Permission bits of what we make: private things are the owner's alone; else only the execute bit is ours to decide, and the
// rest stays as the system made it.

import type { MakeOptions } from "../../host/files.ts";

/** Before the umask takes its share. */
export function fileMode(options: MakeOptions | undefined): number {
  const mode = options?.private === true ? 0o600 : 0o666;
  return options?.readOnly === true ? mode & ~0o222 : mode;
}

/** What the system makes of a new file. */
export function usualFileMode(): number {
  return fileMode(undefined) & ~process.umask();
}

export function directoryMode(options: MakeOptions | undefined): number {
  return options?.private === true ? 0o700 : 0o777;
}

/** As `chmod +x` and `chmod -x`: who may read may execute. */
export function executableMode(mode: number, executable: boolean): number {
  return (executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111) & 0o777;
}
