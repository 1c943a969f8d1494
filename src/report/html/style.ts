// The look of a page: no font, picture or script from elsewhere, light and dark by the reader's system, and colours that stay apart for
// colour-blind eyes (after Okabe and Ito's palette, https://jfly.uni-koeln.de/color/) and by their brightness.

export const STYLE = `
:root { color-scheme: light dark; --page: #fff; --text: #1c2126; --quiet: #5b6570; --line: #d9dee3; --soft: #f4f6f8;
  --model: #0072b2; --tool: #00916a; --delegation: #b9c2cb; --queued: #e69f00; --failed: #c43c00; --alive: #eaeef2; --hook: #8a63c9; --approval: #cc79a7; }
@media (prefers-color-scheme: dark) { :root { --page: #14181c; --text: #e3e8ec; --quiet: #9aa6b2; --line: #323a42; --soft: #1c2228;
  --model: #56b4e9; --tool: #2ec498; --delegation: #56616c; --queued: #f0b840; --failed: #ff7a45; --alive: #222a31; --hook: #b59af0; --approval: #e9a4cb; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1.5rem 4rem; max-width: 1500px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.3rem; margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; } h4 { font-size: .9rem; margin: .9rem 0 .25rem; }
p, ul { margin: .4rem 0; max-width: 75rem; } ul { padding-left: 1.25rem; } li { margin: .15rem 0; }
.quiet { color: var(--quiet); font-weight: normal; } .yes { color: var(--tool); font-weight: 600; } .no { color: var(--failed); font-weight: 600; }
.scripted { border: 2px solid var(--queued); border-radius: 6px; padding: .6rem .9rem; margin: .75rem 0; }
.scripted b { color: inherit; } .note { border-left: 4px solid var(--queued); padding-left: .75rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem .4rem; border-bottom: 1px solid var(--line); }
th { background: var(--soft); } tbody tr:hover { background: var(--soft); }
td.differs { font-weight: 600; } .compared td:not(:first-child, :last-child) { white-space: nowrap; } pre { background: var(--soft); padding: .5rem .75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font-size: .85rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 36rem), 1fr)); gap: .5rem 2rem; }
.plot { margin: .5rem 0; min-width: 0; } figcaption { font-size: .9rem; margin-bottom: .2rem; }
.plot-row { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr) 15.5rem; gap: .6rem; align-items: center; font-size: .82rem; }
.label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .said { font-variant-numeric: tabular-nums; color: var(--quiet); }
svg { display: block; width: 100%; overflow: visible; } svg.box { height: 26px; } svg.axis { height: 16px; }
svg text { fill: var(--quiet); font-size: 11px; } .grid { stroke: var(--line); stroke-width: 1; }
.whisker { stroke: var(--quiet); stroke-width: 1.5; } .quartiles { fill: var(--model); fill-opacity: .22; stroke: var(--model); }
.median { stroke: var(--model); stroke-width: 3; } circle { fill: var(--model); fill-opacity: .75; stroke: var(--page); stroke-width: .75; }
.time-row { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: .6rem; align-items: center; font-size: .82rem; }
svg.line { margin: 1px 0; } .alive { fill: var(--alive); }
/* A stroke of its own colour: what takes milliseconds is a pixel wide, not invisible. */
.model { fill: var(--model); stroke: var(--page); paint-order: stroke; } .tool { fill: var(--tool); stroke: var(--tool); }
.delegation { fill: var(--delegation); stroke: var(--delegation); } .queued { fill: var(--queued); stroke: var(--queued); } .hook { fill: var(--hook); stroke: var(--hook); } .approval { fill: var(--approval); stroke: var(--approval); }
.line rect { stroke-width: 1; } .line .alive { stroke: none; } .line .failed { stroke: var(--failed); stroke-width: 2.5; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.25rem; font-size: .85rem; margin: .4rem 0; }
.key span { display: inline-flex; align-items: center; gap: .4rem; } .key svg { width: 20px; height: 10px; }
summary { cursor: pointer; color: var(--quiet); margin: .4rem 0; } .run { break-inside: avoid; } nav { margin: .5rem 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; } a { color: var(--model); }
@media (max-width: 700px) { .plot-row { grid-template-columns: 5.5rem minmax(0, 1fr); } .plot-row .said { grid-column: 2; } .plot-row > span:last-child:empty { display: none; } }
@media print { .run { break-inside: avoid; } body { max-width: none; } }
`;
