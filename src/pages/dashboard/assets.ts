/** Files used only by the dashboard's pages. */
import { asset, assetFinder } from '../assets.ts'
import scriptText from './browser/main.ts?text'
import { UI } from './links.ts'
import controls from './styles/controls.css?text'
import frame from './styles/frame.css?text'
import lists from './styles/lists.css?text'
import parts from './styles/parts.css?text'
import timeline from './styles/timeline.css?text'

/** One file, so that a page needs one request. For equally specific rules, the later one wins. */
const styles = [frame, parts, controls, lists, timeline].join('\n')

export const dashboardStylesheet = asset('dashboard', 'css', 'text/css; charset=utf-8', styles, UI)
export const script = asset('dashboard', 'js', 'text/javascript; charset=utf-8', scriptText, UI)

export const findDashboardAsset = assetFinder([dashboardStylesheet, script])
