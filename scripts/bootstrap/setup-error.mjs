// The one kind of failure a person can do something about during setup: what failed, then what to do.
export class SetupError extends Error {
  constructor(what, advice) {
    super(`${what}\n  what to do: ${advice}`);
    this.name = "SetupError";
  }
}
