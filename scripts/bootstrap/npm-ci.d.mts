// Types of the bootstrap's plain JavaScript, for the scripts in TypeScript that use it too.
export function npmCi(call: { node: string; cwd: string; what: string; advice: string }): Promise<void>;
