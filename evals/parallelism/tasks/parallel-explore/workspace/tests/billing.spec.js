// Not the default: the tests set their own.
import { charge } from "../src/billing/index.js";

const options = { timeoutMs: 100 };

export const cases = [() => charge({}, options)];
