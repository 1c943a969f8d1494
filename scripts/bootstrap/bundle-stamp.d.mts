// Types of the bootstrap module that TypeScript scripts also use.
export const STAMP: string;
export function sourcesStamp(root: string): string;
