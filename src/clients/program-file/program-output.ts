// What a hook says to a plugin of ours.

export function programOutput(context: string): string {
  return JSON.stringify({ context });
}
