/** The help for those who steer by keyboard. The script opens it; without one there are no keys. */
const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Ctrl K'], 'All that this page can do, by its name'],
  [['/'], 'Search'],
  [['j', 'k'], 'Next and previous row'],
  [['Enter'], 'Open the selected row'],
  [['Esc'], 'Leave a row or field, then back to the page before'],
  [['f'], 'Filter the list'],
  [['n'], 'Show what is new'],
  [['p'], 'Pause, and follow again'],
  [['?'], 'This help'],
]

export function KeysDialog() {
  return (
    <>
      <dialog class="palette" aria-label="All that this page can do">
        <input class="text" type="search" aria-label="What to do" placeholder="audit, +1d, reset" />
        <ul />
      </dialog>
      <dialog class="keys" aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <dl>
          {KEYS.map(([keys, does]) => (
            <div>
              <dt>
                {keys.map((key) => (
                  <kbd>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <label class="wrap">
          <input type="checkbox" data-letters /> Keys of one letter
        </label>
        <form method="dialog">
          <button class="knob" type="submit">
            Close
          </button>
        </form>
      </dialog>
    </>
  )
}
