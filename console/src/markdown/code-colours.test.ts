import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contrast } from '../../../widget/contrast.ts'

const CSS = readFileSync(join(import.meta.dirname, 'code.css'), 'utf8')
/** The background colours `canvas`, `surface` and `raised` in the light and dark themes. */
const BACKGROUNDS = { light: ['#ffffff', '#f7f7f9'], dark: ['#111317', '#17191f', '#1d2027'] }

const colours = [...CSS.matchAll(/(--code-\w+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
  ([, name = '', light = '', dark = '']) => ({ name, light, dark }),
)

test('every code colour has a value for each scheme', () => {
  expect(colours.length).toBe(CSS.match(/--code-\w+:/g)?.length)
})

test.each(colours)('$name has enough contrast in light and dark mode', (colour) => {
  for (const scheme of ['light', 'dark'] as const)
    for (const background of BACKGROUNDS[scheme])
      expect(contrast(colour[scheme], background)).toBeGreaterThanOrEqual(4.5)
})

test('every defined colour is used, and every used colour is defined', () => {
  const used = [...CSS.matchAll(/var\((--code-\w+)\)/g)].map(([, name]) => name)
  expect([...new Set(used)].sort()).toEqual(colours.map(({ name }) => name).sort())
})
