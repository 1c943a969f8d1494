// What a commit may hold, whatever its task. The policies of these limits are in `policies`.

const MIB = 1024 * 1024;

export interface VcsLimits {
  readonly fileBytesMax: number;
  /** All blobs of one commit together; one batch of the log must hold them beside the merged ones. */
  readonly commitBytesMax: number;
  /** Changed, or named as read. */
  readonly commitPathsMax: number;
  readonly messageCharsMax: number;
}

export const vcsLimits: VcsLimits = {
  fileBytesMax: 10 * MIB,
  commitBytesMax: 32 * MIB,
  commitPathsMax: 20_000,
  messageCharsMax: 50_000,
};
