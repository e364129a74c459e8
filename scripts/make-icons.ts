import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { borrowBrowser, endBrowser } from '#tests/support/browser.ts'

/*
 * Draws the icons of the installed console from console/public/favicon.svg. Run it after the mark changes. Requires
 * Chromium.
 */

const FOLDER = join(import.meta.dirname, '../console/public')
const BACKGROUND = '#4f46e5'

/** The icons, with the share of the width that the mark covers. Systems may crop a maskable icon to a circle. */
const ICONS = [
  { name: 'icon-192.png', size: 192, share: 1, background: 'transparent' },
  { name: 'icon-512.png', size: 512, share: 1, background: 'transparent' },
  { name: 'icon-maskable-512.png', size: 512, share: 0.8, background: BACKGROUND },
]

const mark = await readFile(join(FOLDER, 'favicon.svg'), 'base64')
const { newContext, giveBack } = await borrowBrowser()
for (const { name, size, share, background } of ICONS) {
  const context = await newContext({ viewport: { width: size, height: size } })
  const page = await context.newPage()
  await page.setContent(
    `<body style="margin:0;height:100vh;display:grid;place-items:center;background:${background}">
      <img style="width:${share * 100}%" src="data:image/svg+xml;base64,${mark}">`,
  )
  await page.screenshot({ path: join(FOLDER, name), omitBackground: true })
}
await giveBack()
await endBrowser()
