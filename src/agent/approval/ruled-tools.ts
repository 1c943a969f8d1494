// Tools that rules speak of in more than their name.

export const commandTool = "bash";

/** Their `path` is one file. */
export const pathTools: ReadonlySet<string> = new Set(["read_file", "edit_file", "write_file"]);
