import { expect, test } from 'vitest'
import { hasOneScript, isPlainName } from './plain-name.ts'

test.each([
  0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x180e,
  0x200b, 0x2060, 0x2061, 0x2064, 0xfeff, 0x200c, 0x200d,
])('a name with character %i is refused anywhere', (code) => {
  const sign = String.fromCodePoint(code)
  for (const name of [`${sign}Acme`, `Acme${sign}`, `Ac${sign}me`, `Acme ${sign} Ltd`, sign])
    expect([name, isPlainName(name)]).toEqual([name, false])
})

test.each([
  'Acme',
  "O'Neil & Söhne – №5",
  'شرکت',
  'می\u200Cخواهم',
  'क्\u200Dष',
  'ക്\u200Dക',
  'שלום',
  '東京支店',
  '👩\u200D💻 team',
  '🏳️\u200D🌈',
  '👩🏽\u200D🚀',
  '👨\u200D👩\u200D👧',
  '❤️\u200D🔥',
  'Zoë\u0308',
])('%s is accepted', (name) => {
  expect(isPlainName(name)).toBe(true)
})

test.each(['Acme\u200D💻', '👩\u200Dx', 'می\u200C', '\u200Cمی', 'а\u200Dб', 'α\u200Cβ', '1\u200D2'])(
  'a joiner that joins nothing is refused: %j',
  (name) => {
    expect(isPlainName(name)).toBe(false)
  },
)

const [CYRILLIC_A, GREEK_O, DIAERESIS] = ['\u0430', '\u03bf', '\u0308']
test.each([
  ['a Cyrillic letter in a Latin word', `P${CYRILLIC_A}yPal`],
  ['a Latin letter in a Cyrillic word', 'Сбeрбанк'],
  ['a Greek letter in a Latin word', `Micr${GREEK_O}soft`],
  ['in a later word', `Support of P${CYRILLIC_A}yPal`],
  ['behind a combining mark', `a${DIAERESIS}${CYRILLIC_A}`],
  ['behind an invisible break that fonts ignore', `P\u00ad${CYRILLIC_A}yPal`],
])('letters of two scripts in one word are refused: %s', (_, name) => {
  expect(hasOneScript(name)).toBe(false)
})

test.each([
  'PayPal',
  'Сбербанк',
  'Αθήνα',
  'Яндекс Cloud',
  'Анна-Maria',
  "Анна's organization",
  'β-Version',
  '5 µm',
  '東京 Tokyo支店',
  'שלום Shop',
  `Zoe${DIAERESIS}`,
])('%s is accepted', (name) => {
  expect(hasOneScript(name)).toBe(true)
})
