// The table of the binary operators: a higher precedence binds tighter.

import { add, divide, modulo, multiply, power, subtract } from "./arithmetic.js";

const left = (precedence, apply) => ({ precedence, associates: "left", apply });
const right = (precedence, apply) => ({ precedence, associates: "right", apply });

export const operators = { "+": left(1, add), "-": left(1, subtract), "*": left(2, multiply), "/": left(2, divide) };
