// What one check says of one run, before it has the check's name and aspect.

export interface Judged {
  readonly passed: boolean;
  /** One line, for a person. */
  readonly detail: string;
  /** The known way in which it is wrong; null for right, and for any other way. */
  readonly cause: string | null;
}

export const right = (detail: string): Judged => ({ passed: true, detail, cause: null });
export const wrong = (detail: string, cause: string | null = null): Judged => ({ passed: false, detail, cause });
