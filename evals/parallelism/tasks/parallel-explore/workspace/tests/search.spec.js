// Not the default: the tests set their own.
import { query } from "../src/search/index.js";

const options = { timeoutMs: 6000 };

export const cases = [() => query({}, options)];
