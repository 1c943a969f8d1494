// Permission bits of files we write: only the execute bit is ours to decide, the rest stays as the system made it.

/** As `chmod +x` and `chmod -x`: who may read may execute. */
export function executableMode(mode: number, executable: boolean): number {
  return (executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111) & 0o777;
}
