// The one way by which text gets into a page: `html` escapes every hole of its template that is not markup already, cleaned of control
// characters and capped. Markup is a class of its own: a string that somebody forgot is escaped, never trusted.

import { cleanText } from "../../base/text.ts";

const textCharsMax = 20_000;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export class Markup {
  readonly text: string;
  /** Of trusted text only: what a program's author wrote. */
  constructor(text: string) {
    this.text = text;
  }
}

export type Hole = Markup | string | number | readonly Markup[];

/** For elements and for attributes in double quotes. */
export function html(literals: TemplateStringsArray, ...holes: readonly Hole[]): Markup {
  const [first = "", ...rest] = literals;
  return new Markup(rest.reduce((text, literal, index) => text + holeText(holes[index] ?? "") + literal, first));
}

export const nothing = new Markup("");

function holeText(hole: Hole): string {
  if (hole instanceof Markup) return hole.text;
  if (typeof hole === "number") return String(hole);
  if (typeof hole === "string") return escaped(hole);
  return hole.map(({ text }) => text).join("");
}

function escaped(text: string): string {
  return cleanText(text, textCharsMax).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? "");
}
