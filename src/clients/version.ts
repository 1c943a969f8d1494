// A client's version, read from what its `--version` prints.

export type Version = readonly [number, number, number];

/** The first `1.2.3` in the text; null where there is none. */
export function versionIn(text: string): Version | null {
  const found = /(?<![\d.])(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(text);
  return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3])];
}

export function isAtLeast(version: Version, least: Version): boolean {
  for (const [index, part] of version.entries()) if (part !== least[index]) return part > (least[index] ?? 0);
  return true;
}

export function versionText(version: Version): string {
  return version.join(".");
}
