// Asks the auth service whether a token is good.
import { post } from "../http.js";

export const TIMEOUT_MS = 2750;

export function verify(token, options = {}) {
  return post("/auth/verify", { token }, { timeoutMs: options.timeoutMs ?? TIMEOUT_MS });
}
