// What is wrong with an expression, and where.

export class CalcError extends Error {
  /** `column` counts from 1 in the text of the expression. */
  constructor(problem, column) {
    super(`${problem} at column ${column}`);
    this.name = "CalcError";
    this.column = column;
  }
}
