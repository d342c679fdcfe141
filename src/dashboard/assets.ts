/** The files that only the dashboard asks for. */
import { asset, assetFinder } from '../pages/assets.ts'
import { UI } from './links.ts'
import { script as scriptText } from './script.ts'
import { styles } from './styles.ts'

export const stylesheet = asset('dashboard', 'css', 'text/css; charset=utf-8', styles, UI)
export const script = asset('dashboard', 'js', 'text/javascript; charset=utf-8', scriptText, UI)

export const findAsset = assetFinder([stylesheet, script])
