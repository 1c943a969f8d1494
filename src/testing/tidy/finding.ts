// What tidy rules read and report: a tracked file, and a place in it that breaks a rule.

export type TrackedFile = {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

export type Finding = {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
};

/** A rule is pure: the same file gives the same findings, and no other file matters to it. */
export type Rule = (file: TrackedFile) => Finding[];

/** A finding at a position in the file's text, counted in UTF-16 units. */
export function findingAt(file: TrackedFile, offset: number, message: string): Finding {
  return { path: file.path, line: file.text.slice(0, offset).split("\n").length, message };
}

export function isTypeScript(file: TrackedFile): boolean {
  return file.path.endsWith(".ts");
}

export function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

/** Data for tests and machine-made files follow their own form. */
export function isMadeElsewhere(path: string): boolean {
  return /(^|\/)(fixtures|generated)\//.test(path) || path.includes(".generated.") || path === "package-lock.json";
}
