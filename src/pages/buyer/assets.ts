/** The script of the hosted page. */
import { asset, assetFinder, pageAssets } from '../assets.ts'
import scriptText from './browser/main.ts?text'

export const checkoutScript = asset('checkout', 'js', 'text/javascript; charset=utf-8', scriptText)

export const findBuyerAsset = assetFinder([...pageAssets, checkoutScript])
