// Sends invoices to the billing service.
import { post } from "../http.js";

// From the first protocol, which nobody speaks any more.
const LEGACY_TIMEOUT_MS = 9000;

export const TIMEOUT_MS = 4200;

export function charge(invoice, options = {}) {
  return post("/billing/charge", invoice, { timeoutMs: options.timeoutMs ?? TIMEOUT_MS });
}
