// A whole page that works from a file: no script, and nothing is loaded from anywhere, which its content policy holds too.

import { html, Markup } from "./escape.ts";
import { STYLE } from "./style.ts";

/** The text of the page; its title is also its first heading. */
export function htmlDocument(title: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`.text;
}
