// Not the default: the tests set their own.
import { verify } from "../src/auth/index.js";

const options = { timeoutMs: 1200 };

export const cases = [() => verify({}, options)];
