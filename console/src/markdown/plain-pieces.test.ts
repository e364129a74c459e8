import { expect, test } from 'vitest'
import { plainPieces } from './plain-pieces.ts'

const textOf = (source: string) =>
  plainPieces(source, [])
    .map(({ text }) => text)
    .join('')

test.each([
  ['…of **bold** and *slanted* `code`', '…of bold and slanted code'],
  ['## Opening hours We open at 9', 'Opening hours We open at 9'],
  ['See [the list](https://example.com/a) here', 'See the list here'],
  ['| Day | Hours | |---|:--:| | Monday | 9 |', 'Day Hours Monday 9 '],
  ['You said: > A cake, if 3 > 2', 'You said: A cake, if 3 > 2'],
  ['```js const a = 1 ```', 'const a = 1 '],
  ['2 * 3 is 6, my_own_name, #1 and a|b', '2 * 3 is 6, my_own_name, #1 and a b'],
])('%s has no marks', (source, text) => {
  expect(textOf(source)).toBe(text)
})

test('matches keep their places', () => {
  const source = 'The **red lamp** and the `lamp`'
  const hits = [...source.matchAll(/lamp/g)].map(({ index }) => ({ start: index, end: index + 4 }))
  expect(plainPieces(source, hits)).toEqual([
    { text: 'The red ', isHit: false },
    { text: 'lamp', isHit: true },
    { text: ' and the ', isHit: false },
    { text: 'lamp', isHit: true },
  ])
})
