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
.side { background: var(--shade); border-bottom: 1px solid var(--line); display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.625rem; padding: 0.625rem 1rem 0; }
.brand { display: flex; align-items: center; justify-content: space-between; gap: 0.75rem; }
.brand > a { white-space: nowrap; display: flex; gap: 0.5rem; align-items: center; color: var(--ink); text-decoration: none; font-weight: 650; font-size: 1rem; letter-spacing: -0.01em; }
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
.deck > main { padding: 1.25rem 1rem 3rem; max-width: 92rem; display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
.deck h1 { font-size: 1.375rem; }
.deck h2 { font-size: 0.9375rem; }
.deck h3 { font-size: 0.8125rem; line-height: 1.4; font-weight: 650; color: var(--soft); }
@media (min-width: 60rem) {
  .dash { grid-template-columns: 13.5rem minmax(0, 1fr); }
  .side { position: sticky; top: 0; height: 100vh; align-content: start; overflow-y: auto; border-bottom: 0; border-inline-end: 1px solid var(--line); padding: 1rem 0.75rem; gap: 0.875rem; }
  .brand { flex-wrap: wrap; }
  .brand > a { padding-inline: 0.375rem; }
  .switch { flex: 1 1 100%; }
  .brand > a { font-size: 1.0625rem; }
  .switch summary { max-width: none; }
  .switch ul { inset-inline: 0; max-width: none; }
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
.clock { display: flex; flex-wrap: wrap; gap: 0.375rem 1rem; align-items: center; padding: 0.5rem 1rem; border-bottom: 1px solid var(--line); }
.clock .reading { display: flex; gap: 0 0.625rem; align-items: baseline; white-space: nowrap; }
.clock time { font: 600 1.0625rem/1.4 var(--code); letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
.clock .due { color: var(--soft); min-width: 0; flex: 1 1 10rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.clock .due a { color: inherit; }
.clock form { display: flex; flex-wrap: wrap; gap: 0.375rem; margin-inline-start: auto; align-items: center; }
@media (min-width: 60rem) { .clock { flex-wrap: nowrap; padding: 0.5625rem 2rem; position: sticky; top: 0; z-index: 3; background: color-mix(in srgb, var(--paper) 92%, transparent); backdrop-filter: blur(6px); } .clock form { flex: none; flex-wrap: nowrap; } }
@media (max-width: 40rem) { .clock form { margin-inline-start: 0; } .clock .reading .soft { font-size: 0.8125rem; } .clock .knob { padding-inline: 0.5625rem; } }

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
.dash .text::placeholder { color: var(--soft); opacity: 1; }
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

/* Pages */
.dash .title { display: flex; flex-wrap: wrap; gap: 0.625rem 0.75rem; align-items: end; }
.dash .title > :first-child { margin-inline-end: auto; min-width: 0; }
.dash .title h1 { display: flex; flex-wrap: wrap; gap: 0.25rem 0.625rem; align-items: baseline; }
.dash h1 code, .dash h1 .id { font-size: 0.875em; font-family: var(--code); font-weight: 600; letter-spacing: -0.02em; }
.dash h1.request { font-size: 1.125rem; }
.dash h1.request .status { font-size: 1.125rem; }
.wrap { display: flex; flex-wrap: wrap; gap: 0.375rem 0.5rem; align-items: center; }
.dash .stack { gap: 2rem; align-content: start; }
.columns { display: grid; gap: 2rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
.aside { display: grid; gap: 1.75rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 72rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 20rem; gap: 2.5rem; }
  .columns.even { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
}
.section { display: grid; align-content: start; gap: 0.75rem; grid-template-columns: minmax(0, 1fr); min-width: 0; }
.section > header { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; min-height: 2rem; border-bottom: 1px solid var(--line); padding-bottom: 0.375rem; }
.section > header > h2 { margin-inline-end: auto; }
.section > header .knob { min-height: 1.75rem; padding-block: 0.125rem; }
.more { font-weight: 600; font-size: 0.8125rem; text-decoration: none; }
.more:hover { text-decoration: underline; }
.empty { padding: 1.25rem; border: 1px dashed var(--edge); border-radius: var(--round); display: grid; gap: 0.625rem; grid-template-columns: minmax(0, 1fr); color: var(--soft); }
.empty b { color: var(--ink); }
.empty p { max-width: 42rem; }
.terms { display: grid; }
.terms > div { display: grid; grid-template-columns: minmax(6rem, 10rem) minmax(0, 1fr); gap: 0.125rem 1rem; padding: 0.3125rem 0; }
.terms dt { color: var(--soft); }
.terms .when { white-space: normal; }
.aside .terms > div { grid-template-columns: minmax(0, 6.5rem) minmax(0, 1fr); }
.id, .when, .took, .dash code { font-family: var(--code); font-size: 0.8125rem; }
.id { text-decoration: none; }
.id:hover { text-decoration: underline; }
.when { font-variant-numeric: tabular-nums; color: var(--soft); white-space: nowrap; }
.tabs { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; border-bottom: 1px solid var(--line); }
.tabs a { padding: 0.375rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.filter { display: flex; flex-wrap: wrap; gap: 0.625rem 0.75rem; align-items: end; }
.filter .labeled { flex: 0 1 11rem; }
@media (max-width: 40rem) { .filter .labeled { flex: 1 1 40%; } }
.filter .knob { min-height: 2.25rem; }
.labeled { display: grid; gap: 0.1875rem; }
.labeled > span { font-size: 0.8125rem; color: var(--soft); }
.labeled select { width: 100%; }
.happened { margin-top: 0.375rem; display: grid; gap: 0.125rem; max-height: 14rem; overflow: auto; }
.happened time { font-family: var(--code); font-size: 0.8125rem; color: var(--soft); }
.notice .why { font-size: 0.9375rem; }
.notice .wrap { margin-top: 0.375rem; }
.notice > div { min-width: 0; }

/* Code, and what is copied */
.code { overflow-x: auto; border-radius: 0.5rem; background: var(--shade); border: 1px solid var(--line); }
.code pre, .copied pre { margin: 0; font: 0.8125rem/1.55 var(--code); overflow-wrap: normal; }
.code pre { padding: 0.625rem 0.75rem; width: max-content; min-width: 100%; }
.code .json-name { color: var(--soft); } .code .json-text { color: var(--good); } .code .json-number { color: var(--accent); } .code .json-word { color: var(--event); }
.code .json-text a { color: inherit; }
.snippet { position: relative; }
.snippet .knob { position: absolute; inset-block-start: 0.25rem; inset-inline-end: 0.25rem; min-height: 1.75rem; background: var(--paper); border-color: var(--line); opacity: 0.92; }
.snippet .knob + *, .snippet [hidden] { display: none; }
.copied { display: inline-flex; align-items: center; gap: 0.25rem; min-width: 0; max-width: 100%; }
.copied pre { overflow: hidden; text-overflow: ellipsis; }
.copied .knob { min-height: 1.5rem; padding: 0 0.25rem; font-size: 0.75rem; }
.dash [hidden] { display: none; }
.curl summary { cursor: pointer; color: var(--soft); font: 500 0.75rem/1.5 var(--code); width: fit-content; }
.curl summary:hover { color: var(--accent); }
.curl[open] summary { margin-bottom: 0.375rem; }

/* What is steered */
.action { display: grid; gap: 0.25rem; grid-template-columns: minmax(0, 1fr); }
.action .with { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
.action .labeled { flex: 1 1 8rem; }
.action .with > .knob { min-height: 2.25rem; }
.inline { display: inline-flex; }
.checks { display: grid; gap: 0.375rem; flex: 1 1 100%; }
.checks label { display: flex; gap: 0.5rem; align-items: center; }
.tools { display: flex; flex-wrap: wrap; gap: 0.75rem 1.5rem; align-items: start; border-top: 1px solid var(--line); padding-top: 1rem; }
.tools > * { flex: 0 1 auto; min-width: 0; }
.dash .editor textarea { font: 0.8125rem/1.6 var(--code); resize: vertical; white-space: pre; overflow-x: auto; padding: 0.625rem 0.75rem; }
.mistakes { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; padding: 0.875rem 1rem; border-radius: var(--round); background: var(--bad-tint); }
.mistakes ol { list-style: decimal; padding-inline-start: 2.25rem; font: 0.8125rem/1.6 var(--code); }
.mistakes li::marker { color: var(--soft); }
.mistakes pre { margin: 0; font: inherit; color: var(--soft); overflow-x: auto; }
.mistakes .wrong pre { color: var(--ink); }
.mistakes .wrong pre span { color: var(--bad); line-height: 1; }
.mistakes li > * { max-width: 100%; }
.mistakes .wrong p { color: var(--bad); font: 600 0.8125rem/1.5 var(--text); margin-bottom: 0.375rem; }

/* Lists */
.list-block { display: grid; }
.list-block > li { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; padding: 0.5625rem 0; border-bottom: 1px solid var(--line); }
.list-block > li > :first-child { flex: 1 1 10rem; min-width: 0; }
.rows > .request { display: grid; grid-template-columns: 2.25rem minmax(0, 1fr) auto 6.5rem 4.75rem; gap: 0.125rem 0.75rem; align-items: baseline; padding: 0.375rem 0; border-bottom: 1px solid color-mix(in srgb, var(--line) 60%, transparent); }
.rows > .request.pick { grid-template-columns: 1.125rem 2.25rem minmax(0, 1fr) auto 6.5rem 4.75rem; }
.rows > .request.pick input { align-self: center; }
.rows .asked { color: var(--ink); text-decoration: none; font: 0.8125rem/1.5 var(--code); overflow-wrap: break-word; }
.rows .asked b { font-weight: 700; }
.rows .request:hover { background: color-mix(in srgb, var(--accent-tint) 60%, transparent); }
.rows .asked:hover { color: var(--accent); text-decoration: underline; }
.rows .odd { display: flex; flex-wrap: wrap; gap: 0.25rem; justify-content: end; }
.rows .took { color: var(--soft); text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.rows.narrow > .request { grid-template-columns: 2.25rem minmax(0, 1fr) auto; }
.rows.narrow .asked { grid-column: 2 / -1; }
.rows.narrow .took { display: none; }
.rows.narrow .odd { grid-column: 2; grid-row: 2; justify-content: start; }
.rows.narrow .when { grid-column: 3; grid-row: 2; font-size: 0.75rem; }
@media (max-width: 60rem) {
  .rows > .request, .rows.narrow > .request { display: flex; flex-wrap: wrap; gap: 0.125rem 0.625rem; }
  .rows .request .status { flex: 0 0 1.75rem; }
  .rows .request .asked { flex: 0 1 auto; max-width: calc(100% - 4.25rem); }
  .rows .request .odd { flex: none; justify-content: start; }
  .rows .request .when { margin-inline-start: auto; font-size: 0.75rem; }
  .rows .took { display: none; }
}
.live > header p { order: 1; flex: 1 1 auto; }
.live > header h2 { margin-inline-end: 0; }
.live > header .knob, .live > header .more { order: 2; }
.live[data-state="live"] > header p::before, .live[data-state="lost"] > header p::before { content: ""; display: inline-block; width: 0.5rem; height: 0.5rem; margin-inline-end: 0.4375rem; border-radius: 50%; background: var(--done); }
.live[data-state="lost"] > header p::before { background: var(--bad); }
.chosen .bar { position: sticky; bottom: 0; display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; padding-bottom: 0.625rem; border-bottom: 1px solid var(--line); }
.chosen .bar label { display: inline-flex; gap: 0.5rem; align-items: center; margin-inline-end: auto; }
.events > li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.125rem 0.75rem; align-items: baseline; padding: 0.4375rem 0; border-bottom: 1px solid color-mix(in srgb, var(--line) 60%, transparent); }
.events .type { font: 600 0.8125rem/1.5 var(--code); color: var(--ink); text-decoration: none; }
.events .type::before { content: ""; display: inline-block; width: 0.4375rem; height: 0.4375rem; margin-inline-end: 0.5rem; background: var(--event); rotate: 45deg; }
.events .type:hover { text-decoration: underline; }
.events .tries { display: flex; flex-wrap: wrap; gap: 0.125rem 0.75rem; font-size: 0.8125rem; grid-column: 1; grid-row: 2; padding-inline-start: 0.9375rem; min-height: 1.25rem; }
.events .when { grid-column: 2; grid-row: 2; }
.events .id, .events .when { justify-self: end; }
.delivery { display: inline-flex; gap: 0.375rem; align-items: baseline; }
.delivery .status + .status::before { content: "→ "; color: var(--soft); font-weight: 400; }
.delivery-block { display: grid; gap: 0.5rem; padding: 0.75rem 0; border-bottom: 1px solid var(--line); scroll-margin-top: 4rem; grid-template-columns: minmax(0, 1fr); }
.delivery-block > header { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; }
.delivery-block:target > header { background: var(--accent-tint); }
.attempts { display: grid; gap: 0.75rem; grid-template-columns: minmax(0, 1fr); }
.attempts li { display: grid; gap: 0.25rem; border-inline-start: 2px solid var(--line); padding-inline-start: 0.75rem; grid-template-columns: minmax(0, 1fr); }
.messages { display: grid; gap: 0.875rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
.messages li { display: grid; gap: 0.5rem; padding: 0.875rem 1rem; border: 1px solid var(--line); border-radius: var(--round); background: var(--raised); align-content: start; grid-template-columns: minmax(0, 1fr); }
.messages li.sms { border-radius: 1.125rem 1.125rem 1.125rem 0.25rem; }
.messages header { display: flex; gap: 0.5rem; align-items: center; }
.messages header svg { color: var(--soft); }
.messages header .when { margin-inline-start: auto; }
.messages .subject { font-weight: 650; }
.messages .body { white-space: pre-line; }
.messages footer { font-size: 0.8125rem; }
.sums { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem 1.5rem; }
.sums > div { border-top: 3px solid var(--line); padding-top: 0.5rem; }
.sums dt { color: var(--soft); }
.sums dd { display: grid; }
.sums .money { font-size: 1.375rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.02em; }
.dash table.list { font-size: 0.875rem; }
.dash table .number { text-align: end; }
.dash table.list th, .dash table.list td { padding-block: 0.4375rem; }
.dash table.list tbody tr:hover { background: color-mix(in srgb, var(--accent-tint) 60%, transparent); }
.dash table.list th { overflow-wrap: normal; white-space: nowrap; }
.dash table.list .id { white-space: nowrap; }
@media (max-width: 60rem) {
  .dash table.list, .dash table.list tbody { display: block; }
  .dash table.list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .dash table.list tr { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0.375rem 1rem; padding: 0.625rem 0; border-bottom: 1px solid var(--line); }
  .dash table.list td { display: grid; justify-items: start; align-content: start; padding: 0; border: 0; text-align: start; }
  .dash table.list td.long { grid-column: 1 / -1; }
  .dash table.list td.none { display: none; }
  .dash table.list td::before { content: attr(data-label); color: var(--soft); font-size: 0.75rem; }
}
.compare { table-layout: fixed; }
.compare th:first-child { width: 30%; }
.compare td, .compare th { font-size: 0.8125rem; }
.compare th[scope="row"] { font-weight: 500; }
.compare del, .compare ins { text-decoration: none; font-family: var(--code); padding: 0.0625rem 0.25rem; border-radius: 0.25rem; box-decoration-break: clone; }
.compare del { background: var(--bad-tint); color: var(--bad); }
.compare ins { background: var(--good-tint); color: var(--good); }
.headers { display: grid; gap: 0.125rem; font: 0.8125rem/1.5 var(--code); }
.headers > div { display: flex; gap: 0.5rem; }
.headers dt { color: var(--soft); flex: none; }
.headers dt::after { content: ":"; }
.firings { display: grid; gap: 0.5rem; }
.firings li { display: flex; gap: 0.625rem; color: var(--soft); }
.firings li svg { margin-top: 0.0625rem; }
.firings .fired { color: var(--ink); }
.firings .fired svg { color: var(--event); }
.words { display: grid; }
.library { display: grid; gap: 1.25rem 2rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
.words { gap: 0.25rem; }
.library li { display: grid; gap: 0.25rem; align-content: start; }
.library .wrap { margin-top: 0.25rem; }
.counters { display: flex; gap: 1rem; margin-inline-end: 0.5rem; }
.counters div { display: grid; justify-items: center; }
.counters dt { font-size: 0.75rem; color: var(--soft); order: 2; }
.counters dd { font-weight: 650; font-variant-numeric: tabular-nums; }
.aside .armed > li { display: grid; gap: 0.0625rem; padding: 0.375rem 0; }
.due li { display: flex; gap: 0.75rem; justify-content: space-between; padding: 0.25rem 0; }
.due li a { color: var(--ink); text-decoration: none; }
.due li a:hover { text-decoration: underline; }
.windows li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.125rem 0.75rem; padding: 0.25rem 0; }
.windows meter { grid-column: 1 / -1; width: 100%; height: 0.5rem; }
.tally { display: grid; gap: 0.5rem; }
.tally li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.125rem 0.75rem; }
.tally a { color: var(--ink); text-decoration: none; font-weight: 500; }
.tally a:hover { text-decoration: underline; }
.tally .number { font-variant-numeric: tabular-nums; font-weight: 600; }
.tally .shares { grid-column: 1 / -1; width: 100%; height: 0.3125rem; border-radius: 0.25rem; background: var(--line); overflow: hidden; }
.tally .said { grid-column: 1 / -1; font-size: 0.75rem; color: var(--soft); }
rect.tone-wait { fill: var(--wait); } rect.tone-way { fill: var(--way); } rect.tone-good { fill: var(--done); } rect.tone-over { fill: var(--over); }
.kinds { display: grid; gap: 2rem 2.5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); }
.plain { text-decoration: none; color: inherit; }
.legend { display: grid; gap: 0.375rem; max-width: 60rem; }

/* The way of a request through the gate */
.path { overflow-x: auto; }
.path ol { display: grid; gap: 0; }
.path li { position: relative; display: grid; grid-template-columns: minmax(0, 9.5rem) minmax(0, 1fr); gap: 0.125rem 0.75rem; padding: 0.1875rem 0 0.1875rem 1.625rem; }
.path li::before { content: ""; position: absolute; inset-inline-start: 0.3125rem; inset-block: 0; width: 2px; background: var(--done); }
.path li::after { content: ""; position: absolute; inset-inline-start: 0; top: 0.5rem; width: 0.75rem; height: 0.75rem; border-radius: 50%; background: var(--done); border: 2px solid var(--done); }
.path li:first-child::before { top: 0.75rem; }
.path li:last-child::before { bottom: auto; height: 0.75rem; }
.path b { font-weight: 600; }
.path small { color: var(--soft); font-size: 0.8125rem; }
.path li[data-outcome="answered"]::after { background: var(--paper); border: 4px solid var(--accent); width: 1rem; height: 1rem; inset-inline-start: -0.125rem; top: 0.375rem; }
.path li[data-outcome="answered"] b { color: var(--accent); }
.path li[data-outcome="under-way"]::after { background: var(--paper); border-style: dotted; border-color: var(--accent); }
.path li[data-outcome="not-reached"] { color: var(--soft); }
.path li[data-outcome="not-reached"] b { font-weight: 400; }
.path li[data-outcome="not-reached"]::before { background: var(--line); }
.path li[data-outcome="not-reached"]::after { background: var(--paper); border-color: var(--line); }
.path li[data-outcome="broken"]::before { background: var(--bad); }
.path li[data-outcome="broken"]::after { background: var(--paper); border-color: var(--bad); }
.path li[data-outcome="broken"] b, .path li[data-outcome="broken"] small { color: var(--bad); }
@media (min-width: 72rem) {
  .path ol { display: flex; }
  .path li { flex: 1 1 0; min-width: min-content; grid-template-columns: auto; align-content: start; padding: 1.625rem 0.75rem 0 0; font-size: 0.8125rem; line-height: 1.3; }
  .path li::before, .path li:first-child::before, .path li:last-child::before { inset-block: auto; inset-inline: 0; top: 0.5rem; width: auto; height: 2px; bottom: auto; }
  .path li:last-child::before { inset-inline-end: auto; width: 0.5rem; }
  .path li::after { top: 0.1875rem; }
  .path li[data-outcome="answered"]::after { top: 0.0625rem; inset-inline-start: 0; }
  .path b, .path small { font-size: 0.75rem; }
  .path b { white-space: nowrap; }
  .path small { width: 0; min-width: 100%; }
}

/* The states of a resource */
.states { overflow-x: auto; }
.states svg { max-width: 100%; height: auto; font: 12px/1 var(--code); }
.states text { fill: var(--ink); }
.states .center { text-anchor: middle; }
.states .state rect { fill: var(--paper); stroke: var(--edge); stroke-width: 1.5; }
.states .tone-wait rect { stroke: var(--wait); } .states .tone-way rect { stroke: var(--way); } .states .tone-good rect { stroke: var(--done); } .states .tone-over rect { stroke: var(--over); }
.states .present rect { stroke-width: 3; fill: var(--accent-tint); }
.states .present.tone-wait rect { fill: var(--warn-tint); } .states .present.tone-good rect { fill: var(--good-tint); } .states .present.tone-over rect { fill: var(--shade); }
.states .present text { font-weight: 700; }
.states .move path { fill: none; stroke: var(--edge); stroke-width: 1.5; }
.states .move .head { fill: var(--edge); stroke: none; }
.states .move text { fill: var(--soft); font: 11px/1 var(--text); }
.states .move.open text { fill: var(--ink); font-weight: 600; }
.states .begin circle { fill: var(--edge); } .states .begin path { stroke: var(--edge); stroke-width: 1.5; }

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
.timeline .change.troubled text, .timeline .change.troubled .event { fill: var(--bad); }
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
