/** What the stream of a page sends, and its script in the browser reads: the events `rows`, `panels` and `removed`. */

/** `rows`: requests that were answered since, the newest first. */
export interface NewRows {
  html: string
  /** For the line above the list. */
  text: string
}

/** `panels`: the parts of the page that look different now, as HTML by the name in `data-panel`. */
export type PanelHtml = Record<string, string>
