// Pictures of a terminal as one SVG: still, or animated by style alone. A line that stands in several pictures is in the file once.

export interface Frame {
  /** Since the first. */
  readonly ms: number;
  /** The screen as `tmux capture-pane -e` prints it. */
  readonly text: string;
}

export interface SvgOptions {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
}

const [charWidth, lineHeight, margin] = [8.4, 18, 12];
const COLORS: Readonly<Record<number, string>> = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  34: "#79c0ff",
  35: "#d2a8ff",
  36: "#76e3ea",
};
const holdMs = 2_000;

export function svgOf(frames: readonly Frame[], { columns, rows, title }: SvgOptions): string {
  const shown = frames.filter((frame, index) => index === 0 || frame.text !== frames[index - 1]?.text);
  const total = (frames.at(-1)?.ms ?? 0) + holdMs;
  const lines = new Map<string, string>();
  const groups = shown.map((frame, index) => {
    const uses = styledLines(frame.text).map((line, row) => {
      if (line === "") return "";
      const id = lines.get(line) ?? `l${lines.size}`;
      lines.set(line, id);
      return `<use href="#${id}" y="${(row + 1) * lineHeight}"/>`;
    });
    return `<g class="f f${index}">${uses.join("")}</g>`;
  });
  const [width, height] = [columns * charWidth + 2 * margin, rows * lineHeight + 2 * margin];
  const defs = [...lines].map(([line, id]) => `<text id="${id}" xml:space="preserve">${line}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>text{font:14px/1 "DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#d0d7de}.b{font-weight:bold}.d{opacity:.55}${shown.length > 1 ? animation(shown, total) : ""}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<defs>${defs.join("\n")}</defs>
<g transform="translate(${margin} ${margin - 4})">${groups.join("\n")}</g>
</svg>
`;
}

/** Each picture is seen from its time until the next one's. */
function animation(shown: readonly Frame[], total: number): string {
  const percent = (ms: number): string => ((ms / total) * 100).toFixed(2);
  const rules = shown.map(({ ms }, index) => {
    const [from, to] = [percent(index === 0 ? 0 : ms), percent(shown[index + 1]?.ms ?? total)];
    const before = index === 0 ? "" : `0%{visibility:hidden}`;
    return `@keyframes k${index}{${before}${from}%{visibility:visible}${to}%{visibility:hidden}}.f${index}{animation:k${index} ${total}ms step-end infinite}`;
  });
  return `.f{visibility:hidden}${rules.join("")}`;
}

/** Attributes go on over line ends. */
function styledLines(text: string): readonly string[] {
  let style: Style = plain;
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      let [html, column] = ["", 0];
      for (const [, codes, run] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
        if (codes !== undefined) style = styled(style, codes.split(";").map(Number));
        if (run === undefined) continue;
        if (run.trim() !== "") html += span(run, column, style);
        column += [...run].length;
      }
      return html;
    });
}

interface Style {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly color: number | null;
}

const plain: Style = { bold: false, dim: false, color: null };

function styled(before: Style, codes: readonly number[]): Style {
  let style = before;
  for (const code of codes) {
    if (code === 0) style = plain;
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 2) style = { ...style, dim: true };
    else if (code === 22) style = { ...style, bold: false, dim: false };
    else if (code === 39) style = { ...style, color: null };
    else if (COLORS[code] !== undefined) style = { ...style, color: code };
  }
  return style;
}

function span(text: string, column: number, { bold, dim, color }: Style): string {
  const names = [bold ? "b" : "", dim ? "d" : ""].filter((name) => name !== "").join(" ");
  const attributes = `${names === "" ? "" : ` class="${names}"`}${color === null ? "" : ` style="fill:${COLORS[color]}"`}`;
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  // A fixed length keeps columns where they are, whatever the font.
  const length = `x="${(column * charWidth).toFixed(1)}" textLength="${([...text].length * charWidth).toFixed(1)}"`;
  return `<tspan ${length}${attributes}>${escaped}</tspan>`;
}
