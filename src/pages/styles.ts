/**
 * The one set of styles. Colors, sizes and shadows are named once; everything below is built from the names, so light and
 * dark differ in one block only. Served as a file, because the pages forbid themselves inline styles.
 */
export const styles = `
:root {
  color-scheme: light dark;
  --paper: #ffffff;
  --shade: #f5f6f8;
  --raised: #ffffff;
  --ink: #171a21;
  --soft: #565e6c;
  --line: #dcdfe5;
  --edge: #868e9b;
  --accent: #2b4bc9;
  --accent-press: #203aa3;
  --accent-tint: #eef1fd;
  --button: #2b4bc9;
  --button-press: #203aa3;
  --on-button: #ffffff;
  --good: #0c6b46;
  --good-tint: #e9f6ef;
  --bad: #b3202c;
  --bad-tint: #fdeeee;
  --warn: #7a4b00;
  --warn-tint: #fff6e0;
  --warn-line: #dfb765;
  --lift: 0 1px 2px rgb(20 25 40 / 0.06), 0 6px 20px rgb(20 25 40 / 0.05);
  --round: 0.625rem;
  --text: -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Open Sans", "Liberation Sans", Arial, sans-serif;
  --code: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171d;
    --shade: #0e1014;
    --raised: #1b1f27;
    --ink: #eceef2;
    --soft: #a3abb9;
    --line: #2c313b;
    --edge: #6f7887;
    --accent: #93a7ff;
    --accent-press: #b3c1ff;
    --accent-tint: #1e2540;
    --button: #4a66e8;
    --button-press: #3f59d6;
    --good: #6fd3a3;
    --good-tint: #12281f;
    --bad: #ff9a9a;
    --bad-tint: #331a1d;
    --warn: #f2c66d;
    --warn-tint: #2a2212;
    --warn-line: #6b5526;
    --lift: 0 1px 2px rgb(0 0 0 / 0.4);
  }
}

/* Ground */
*, *::before, *::after { box-sizing: border-box; }
html { font: 100%/1.5 var(--text); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
h1, h2, h3, p, ul, ol, dl, dd, figure, fieldset, legend { margin: 0; padding: 0; border: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em; text-wrap: balance; }
h2 { font-size: 1rem; line-height: 1.4; font-weight: 650; }
p { text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:hover { color: var(--accent-press); text-decoration-thickness: 2px; }
code { font: 0.9em/1.4 var(--code); }
svg { display: block; flex: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
.soft { color: var(--soft); }
.small { font-size: 0.875rem; }
.money { font-variant-numeric: tabular-nums; white-space: nowrap; }
.stack { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); }
.skip { position: absolute; left: 0.75rem; top: -4rem; z-index: 1; padding: 0.5rem 0.875rem; border-radius: var(--round); background: var(--raised); box-shadow: var(--lift); }
.skip:focus { top: 0.5rem; }
.hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

/* Controls */
.field { display: grid; gap: 0.375rem; }
.field > label { font-weight: 600; font-size: 0.9375rem; }
.field .hint { color: var(--soft); font-size: 0.875rem; }
.field .problem { display: flex; gap: 0.375rem; align-items: flex-start; color: var(--bad); font-size: 0.875rem; font-weight: 550; }
.field .problem svg { margin-top: 0.1875rem; }
.input {
  width: 100%; min-height: 3rem; padding: 0.625rem 0.875rem; font: inherit; color: inherit;
  background: var(--raised); border: 1px solid var(--edge); border-radius: var(--round);
}
.input:hover { border-color: var(--ink); }
.input:focus { outline: 3px solid var(--accent); outline-offset: 0; border-color: var(--accent); border-radius: var(--round); }
.input[aria-invalid="true"] { border-color: var(--bad); border-width: 2px; padding-inline: calc(0.875rem - 1px); }
.input[aria-invalid="true"]:focus { outline-color: var(--bad); }
.boxed { position: relative; }
.boxed .input { padding-inline-end: 3.25rem; }
.boxed svg { position: absolute; inset-block: 0; inset-inline-end: 0.875rem; margin-block: auto; color: var(--soft); pointer-events: none; }
.input.digits { font-variant-numeric: tabular-nums; letter-spacing: 0.04em; }
.input.code { font: 600 1.5rem/1.2 var(--code); letter-spacing: 0.35em; }
.pair { display: grid; gap: 1.25rem 0.875rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); align-items: start; }

.button {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; min-height: 3rem; padding: 0.625rem 1.25rem;
  font: 600 1rem/1.25 var(--text); text-align: center; text-decoration: none; cursor: pointer;
  border: 1px solid transparent; border-radius: var(--round); background: var(--button); color: var(--on-button);
}
.button:hover { background: var(--button-press); color: var(--on-button); }
.button:focus-visible { border-radius: var(--round); }
.button.wide { width: 100%; }
.button.quiet { background: transparent; color: var(--ink); border-color: var(--edge); }
.button.quiet:hover { background: var(--shade); border-color: var(--ink); color: var(--ink); }
.link { padding: 0; font: inherit; color: var(--accent); background: none; border: 0; text-decoration: underline; text-underline-offset: 0.2em; text-decoration-thickness: 1px; cursor: pointer; }
.link:hover { color: var(--accent-press); text-decoration-thickness: 2px; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: baseline; justify-content: space-between; font-size: 0.9375rem; }

/* One of several: the whole card is the label, and the browser's own radio button keeps the keyboard working. */
.choices { display: grid; gap: 0.75rem; }
.choice { display: flex; gap: 0.875rem; align-items: center; padding: 1rem; border: 1px solid var(--edge); border-radius: var(--round); background: var(--raised); cursor: pointer; }
.choice:hover { border-color: var(--ink); }
.choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--accent-tint); }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice input { width: 1.25rem; height: 1.25rem; margin: 0; flex: none; accent-color: var(--accent); outline: none; }
.choice span { flex: 1; display: grid; }
.choice b { font-weight: 600; }
.choice svg { color: var(--soft); }

/* Blocks */
.notice { display: flex; gap: 0.75rem; padding: 0.875rem 1rem; border-radius: var(--round); background: var(--accent-tint); font-size: 0.9375rem; }
.notice svg { margin-top: 0.125rem; color: var(--accent); }
.notice b { display: block; }
.notice.good { background: var(--good-tint); } .notice.good svg { color: var(--good); }
.notice.bad { background: var(--bad-tint); } .notice.bad svg { color: var(--bad); }
.notice.warn { background: var(--warn-tint); } .notice.warn svg { color: var(--warn); }
.card { padding: 1.25rem; border: 1px solid var(--line); border-radius: var(--round); background: var(--raised); }
.facts > div { display: flex; gap: 0.25rem 1rem; justify-content: space-between; padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
.facts dt { color: var(--soft); flex: 0 0 4.75rem; }
.facts dd { min-width: 0; display: flex; flex-wrap: wrap; gap: 0 0.75rem; justify-content: flex-end; }
.card .facts > div:first-child { padding-top: 0; }
.card .facts > div:last-child { padding-bottom: 0; }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
th { text-align: start; font-weight: 600; color: var(--soft); font-size: 0.8125rem; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }

/* Progress: a bar for each step, and the present one in words. Labels for every step appear when there is room. */
.steps p { font-size: 0.875rem; color: var(--soft); margin-bottom: 0.5rem; }
.steps ol { display: flex; gap: 0.375rem; }
.steps li { flex: 1; min-width: 0; border-top: 4px solid var(--line); border-radius: 2px; font-size: 0.8125rem; color: var(--soft); }
.steps li[data-state="done"], .steps li[aria-current] { border-color: var(--accent); }
.steps li span, .steps li a { display: none; padding-top: 0.5rem; }
.steps li a { color: inherit; text-decoration: none; }
.steps li a:hover { color: var(--accent); text-decoration: underline; }
.steps li[aria-current] { color: var(--ink); font-weight: 600; }
@media (min-width: 36rem) {
  .steps p { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
  .steps li span, .steps li a { display: block; }
}

/* Checkout: what is bought beside what is asked. */
.strip { padding: 0.4375rem 1.25rem; background: var(--warn-tint); border-bottom: 1px solid var(--warn-line); color: var(--warn); font-size: 0.8125rem; text-align: center; text-wrap: balance; }
.checkout { display: grid; grid-template-columns: minmax(0, 1fr); }
.order { background: var(--shade); border-bottom: 1px solid var(--line); padding: 1rem 1.25rem 1.25rem; }
.order > div, .ask > div { max-width: 30rem; margin-inline: auto; }
.leave { display: flex; width: fit-content; max-width: 100%; gap: 0.375rem; align-items: center; color: var(--soft); font-size: 0.9375rem; text-decoration: none; margin-bottom: 1rem; }
.leave span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.leave:hover { color: var(--ink); text-decoration: underline; }
.payee { display: flex; gap: 0.625rem; align-items: center; font-weight: 600; }
.mark { flex: none; width: 2rem; height: 2rem; display: grid; place-items: center; border-radius: 0.5rem; background: var(--ink); color: var(--paper); font-weight: 650; }
.total { font-size: clamp(1.75rem, 1.25rem + 2.6vw, 2.625rem); line-height: 1.15; font-weight: 650; letter-spacing: -0.025em; margin-top: 0.75rem; }
.order .facts { margin-top: 0.5rem; font-size: 0.9375rem; }
.order .facts > div { padding: 0.125rem 0; border: 0; }
.ask { padding: 1.75rem 1.25rem 2.5rem; }
.ask > div { display: grid; gap: 1.75rem; grid-template-columns: minmax(0, 1fr); }
.lead { display: grid; gap: 0.5rem; }
.lead p { color: var(--soft); }
.foot { color: var(--soft); font-size: 0.8125rem; border-top: 1px solid var(--line); padding-top: 1rem; display: flex; gap: 0.5rem; }
.foot svg { margin-top: 0.125rem; }
.emblem { width: 3.5rem; height: 3.5rem; display: grid; place-items: center; border-radius: 50%; background: var(--accent-tint); color: var(--accent); }
.emblem.good { background: var(--good-tint); color: var(--good); }
.emblem.bad { background: var(--bad-tint); color: var(--bad); }
.emblem.warn { background: var(--warn-tint); color: var(--warn); }
.alone { max-width: 30rem; margin: clamp(1.5rem, 8vh, 6rem) auto 2.5rem; padding-inline: 1.25rem; display: grid; gap: 1.75rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 60rem) {
  .checkout { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); min-height: calc(100vh - 2.2rem); }
  .order { border-bottom: 0; border-inline-end: 1px solid var(--line); padding: 3.5rem 4rem 3rem; }
  .order > div { position: sticky; top: 3.5rem; max-width: 24rem; margin-inline: auto 0; }
  .leave { margin-bottom: 3rem; }
  .total { margin-top: 1.25rem; }
  .order .facts { margin-top: 1.75rem; border-top: 1px solid var(--line); }
  .order .facts > div { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
  .ask { padding: 3.5rem 4rem 3rem; }
  .ask > div { margin-inline: 0 auto; }
}

/* Staging: unmistakably not part of the payment. */
.staging { border: 1px dashed var(--warn-line); border-radius: var(--round); background: var(--warn-tint); padding: 1rem; display: grid; gap: 0.75rem; font-size: 0.875rem; }
.staging h2 { font-size: 0.875rem; color: var(--warn); display: flex; gap: 0.5rem; align-items: center; }
.staging li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.25rem 1rem; align-items: center; padding: 0.625rem 0; border-top: 1px solid color-mix(in srgb, var(--warn-line) 45%, transparent); }
.staging li:last-child { padding-bottom: 0; }
.staging code { font-weight: 600; }
.staging li p { color: var(--soft); }
.staging .fill { padding: 0.375rem 0.75rem; font-weight: 600; color: var(--warn); border: 1px solid var(--warn-line); border-radius: 0.5rem; text-decoration: none; background: var(--paper); }
.staging .fill:hover { border-color: var(--warn); }
`
