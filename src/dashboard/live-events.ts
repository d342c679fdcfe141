/** The events of the stream between a page's server and its script: the events `rows`, `panels` and `removed`. */

/** `rows`: requests that were answered since, the newest first. */
export interface NewRows {
  html: string
  /** For the line above the list. */
  text: string
}

/** `panels`: the parts of the page that changed, as HTML by the name in `data-panel`. */
export type PanelHtml = Record<string, string>
