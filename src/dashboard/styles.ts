/** What the dashboard adds to the styles that all pages share. Every color is one of their names, or named here once. */
export const styles = `
:root {
  --event: #6b3fa0;
  --event-tint: #f4eefb;
  --wait: #c07a00;
  --way: #3a5be0;
  --done: #1f9d6b;
  --over: #8b93a1;
  --rail: #8496e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --event: #c4a8f2;
    --event-tint: #271e38;
    --wait: #d99a2b;
    --way: #6d88ff;
    --done: #3dbb85;
    --over: #6f7887;
    --rail: #5a6fd0;
  }
}

/* Frame: where to go on the left, or on top where there is no room. */
.dash { display: grid; grid-template-columns: minmax(0, 1fr); font-size: 0.875rem; line-height: 1.45; min-height: 100vh; align-content: start; }
.side { background: var(--shade); border-bottom: 1px solid var(--line); display: grid; gap: 0.625rem; padding: 0.625rem 1rem 0; }
.brand { display: flex; align-items: center; justify-content: space-between; gap: 0.75rem; }
.brand > a { display: flex; gap: 0.5rem; align-items: center; color: var(--ink); text-decoration: none; font-weight: 650; font-size: 1rem; letter-spacing: -0.01em; }
.brand img { display: block; border-radius: 0.375rem; }
.switch { position: relative; }
.switch summary { list-style: none; cursor: pointer; display: flex; align-items: center; gap: 0.375rem; padding: 0.25rem 0.5rem 0.25rem 0.625rem; border: 1px solid var(--edge); border-radius: 0.5rem; background: var(--paper); font: 600 0.8125rem/1.4 var(--code); max-width: 12rem; }
.switch summary::-webkit-details-marker { display: none; }
.switch summary span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.switch summary svg { margin-inline-start: auto; color: var(--soft); }
.switch ul { position: absolute; inset-inline-end: 0; z-index: 5; min-width: 12rem; max-width: 80vw; margin-top: 0.25rem; padding: 0.25rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--raised); box-shadow: var(--lift); }
.switch li a { display: block; padding: 0.375rem 0.625rem; border-radius: 0.375rem; color: var(--ink); text-decoration: none; overflow: hidden; text-overflow: ellipsis; }
.switch li a:hover { background: var(--accent-tint); }
.switch li a[aria-current] { font-weight: 650; color: var(--accent); }
.find { position: relative; }
.find input { width: 100%; min-height: 2.25rem; padding: 0.375rem 0.625rem 0.375rem 2rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 0.5rem; }
.find input::placeholder { color: var(--soft); opacity: 1; }
.find input:focus { outline: 3px solid var(--accent); outline-offset: 0; border-color: var(--accent); border-radius: 0.5rem; }
.find svg { position: absolute; inset-block: 0; inset-inline-start: 0.5rem; margin-block: auto; color: var(--soft); pointer-events: none; }
.places { display: flex; gap: 0.125rem; overflow-x: auto; scrollbar-width: none; margin-inline: -1rem; padding: 0 0.625rem; }
.places a { display: flex; gap: 0.5rem; align-items: center; padding: 0.5rem 0.5rem 0.5625rem; color: var(--soft); text-decoration: none; white-space: nowrap; border-bottom: 2px solid transparent; }
.places a svg { display: none; }
.places a:hover { color: var(--ink); }
.places a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.places a .count { font-size: 0.75rem; }
.deck { min-width: 0; }
.deck > main { padding: 1.25rem 1rem 3rem; max-width: 80rem; display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
.deck h1 { font-size: 1.375rem; }
.deck h2 { font-size: 0.9375rem; }
.deck h3 { font-size: 0.8125rem; line-height: 1.4; font-weight: 650; color: var(--soft); }
@media (min-width: 60rem) {
  .dash { grid-template-columns: 13.5rem minmax(0, 1fr); }
  .side { position: sticky; top: 0; height: 100vh; align-content: start; overflow-y: auto; border-bottom: 0; border-inline-end: 1px solid var(--line); padding: 1rem 0.75rem; gap: 0.875rem; }
  .brand { padding-inline: 0.375rem; }
  .brand > a { font-size: 1.0625rem; }
  .switch summary { max-width: 6.5rem; }
  .switch ul { inset-inline: auto 0; }
  .places { flex-direction: column; gap: 1px; margin: 0; padding: 0; overflow: visible; }
  .places a { padding: 0.4375rem 0.625rem; border: 0; border-radius: 0.5rem; color: var(--ink); }
  .places a svg { display: block; color: var(--soft); }
  .places a:hover { background: color-mix(in srgb, var(--line) 55%, transparent); }
  .places a[aria-current] { background: var(--accent-tint); color: var(--accent); }
  .places a[aria-current] svg { color: var(--accent); }
  .places .count { margin-inline-start: auto; }
  .deck > main { padding: 1.75rem 2rem 4rem; }
}

/* The clock, on every page: it is what a test moves most. */
.clock { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; padding: 0.5rem 1rem; border-bottom: 1px solid var(--line); }
.clock .reading { display: flex; flex-wrap: wrap; gap: 0 0.625rem; align-items: baseline; }
.clock time { font: 600 1.0625rem/1.4 var(--code); letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
.clock .due { color: var(--soft); min-width: 0; }
.clock form { display: flex; flex-wrap: wrap; gap: 0.375rem; margin-inline-start: auto; align-items: center; }
@media (min-width: 60rem) { .clock { padding: 0.5625rem 2rem; position: sticky; top: 0; z-index: 3; background: color-mix(in srgb, var(--paper) 92%, transparent); backdrop-filter: blur(6px); } }
@media (max-width: 40rem) { .clock form { margin-inline-start: 0; } }

/* Small controls */
.knob { display: inline-flex; align-items: center; justify-content: center; gap: 0.375rem; min-height: 2rem; padding: 0.25rem 0.6875rem; font: 600 0.8125rem/1.25 var(--text); color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 0.5rem; cursor: pointer; text-decoration: none; white-space: nowrap; }
.knob:hover { border-color: var(--ink); color: var(--ink); background: var(--shade); }
.knob:focus-visible { border-radius: 0.5rem; }
.knob.main { background: var(--button); border-color: transparent; color: var(--on-button); }
.knob.main:hover { background: var(--button-press); }
.knob.risky { color: var(--bad); border-color: color-mix(in srgb, var(--bad) 55%, transparent); }
.knob.risky:hover { background: var(--bad-tint); border-color: var(--bad); }
.knob.bare { border-color: transparent; background: none; padding-inline: 0.375rem; color: var(--accent); }
.knob.bare:hover { background: var(--accent-tint); }
.knob svg { flex: none; }
.dash select, .dash .text { min-height: 2.25rem; padding: 0.3125rem 0.625rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 0.5rem; max-width: 100%; }
.dash .text { width: 100%; }
.dash select:focus, .dash .text:focus { outline: 3px solid var(--accent); outline-offset: 0; border-color: var(--accent); border-radius: 0.5rem; }
.dash .text[aria-invalid="true"] { border-color: var(--bad); }
.dash input[type="checkbox"] { width: 1.0625rem; height: 1.0625rem; margin: 0; accent-color: var(--accent); }
.chip { display: inline-flex; align-items: center; gap: 0.3125rem; padding: 0.0625rem 0.4375rem; border-radius: 1rem; font-size: 0.75rem; line-height: 1.5; font-weight: 600; white-space: nowrap; background: color-mix(in srgb, var(--line) 60%, transparent); color: var(--ink); }
.chip::before { content: ""; width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--over); }
.chip.wait::before { background: var(--wait); } .chip.way::before { background: var(--way); } .chip.good::before { background: var(--done); } .chip.bad::before { background: var(--bad); } .chip.event::before { background: var(--event); }
.chip.plain::before { display: none; }
.status { font: 650 0.8125rem/1.45 var(--code); }
.status.good { color: var(--good); } .status.refused { color: var(--warn); } .status.failed { color: var(--bad); } .status.open { color: var(--soft); }
.count { color: var(--soft); font-variant-numeric: tabular-nums; font-weight: 500; }

/* Timeline */
.timeline svg { width: 100%; height: auto; font: 12px/1 var(--code); }
.timeline.narrow { max-width: 30rem; }
.timeline.narrow svg { font-size: 11px; }
.timeline text { fill: var(--ink); }
.timeline .end { text-anchor: end; }
.timeline .center { text-anchor: middle; }
.timeline .heads { position: sticky; top: 3rem; z-index: 2; background: linear-gradient(var(--paper) 70%, transparent); }
.timeline .heads text { font: 600 12px/1 var(--text); fill: var(--soft); }
.timeline .lifelines path { stroke: var(--line); stroke-width: 1.5; fill: none; }
.timeline .lifelines .gate { stroke-dasharray: 2 5; stroke: var(--edge); stroke-width: 1; }
.timeline .time { fill: var(--soft); }
.timeline .cause { fill: var(--soft); text-anchor: end; font-family: var(--text); }
.timeline .pause text { fill: var(--soft); font: 500 12px/1 var(--text); }
.timeline .pause rect { fill: var(--paper); }
.timeline .pause rect.label { fill: var(--shade); stroke: var(--line); }
.timeline .pause path { fill: none; stroke: var(--line); stroke-width: 1.5; }
.timeline .track path { fill: none; stroke-width: 4; stroke-linecap: round; }
.timeline .track.main path { stroke-width: 9; }
.timeline path.tone-wait { stroke: var(--wait); } .timeline path.tone-way { stroke: var(--way); } .timeline path.tone-good { stroke: var(--done); } .timeline path.tone-over { stroke: var(--over); }
.timeline circle { fill: var(--paper); stroke-width: 2.5; }
.timeline circle.tone-wait { stroke: var(--wait); } .timeline circle.tone-way { stroke: var(--way); } .timeline circle.tone-good { stroke: var(--done); } .timeline circle.tone-over { stroke: var(--over); } .timeline circle.tone-event { stroke: var(--event); }
.timeline .rail path { fill: none; stroke: var(--rail); stroke-width: 1.5; }
.timeline .rail circle { stroke: var(--rail); stroke-width: 1.75; }
.timeline .rail .original { fill: var(--rail); }
.timeline .rail .refused { stroke: var(--bad); }
.timeline a { text-decoration: none; }
.timeline .reach { fill: transparent; }
.timeline .way { fill: none; stroke: var(--accent); stroke-width: 1.5; }
.timeline .head { fill: var(--accent); }
.timeline .status { font-weight: 700; font-size: inherit; fill: var(--good); }
.timeline .note { fill: var(--soft); }
.timeline .replayed .way { stroke-dasharray: 4 3; }
.timeline .refused .way { stroke: var(--warn); } .timeline .refused .head { fill: var(--warn); } .timeline .refused .status { fill: var(--warn); }
.timeline .request.failed .way { stroke: var(--bad); } .timeline .request.failed .head { fill: var(--bad); } .timeline .failed .status, .timeline .request.failed .note { fill: var(--bad); }
.timeline .open .way { stroke: var(--soft); stroke-dasharray: 2 3; }
.timeline .lost { fill: none; stroke: var(--bad); stroke-width: 2.25; stroke-linecap: round; }
.timeline .leader { stroke: var(--line); stroke-width: 1; }
.timeline .change .event { fill: var(--event); }
.timeline .attempt .way { stroke: var(--event); } .timeline .attempt .head { fill: var(--event); }
.timeline .attempt.failed .way { stroke: var(--bad); } .timeline .attempt.failed .head { fill: var(--bad); }
.timeline a:hover .reach { fill: color-mix(in srgb, var(--accent) 9%, transparent); }
.timeline a:hover text:first-of-type { text-decoration: underline; }
.timeline a:focus-visible { outline: none; }
.timeline a:focus-visible .reach { stroke: var(--accent); stroke-width: 2.5; }
.timeline a:focus-visible.change text { text-decoration: underline; text-decoration-thickness: 2px; }
.timeline.narrow { display: block; } .timeline.wide { display: none; }
@media (min-width: 72rem) { .timeline.narrow { display: none; } .timeline.wide { display: block; } }
`
