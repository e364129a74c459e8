import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CitationCheck } from './check-citations.ts'

const check = (pieces: string[], passages = 5) => {
  const citations = new CitationCheck(passages)
  const text = pieces.map((piece) => citations.pass(piece)).join('') + citations.end()
  return { text, cited: citations.cited }
}

test.each([
  ['Nine [1].', 'Nine [1].', [1]],
  ['Nine [3][1], ten [ 2 ].', 'Nine [3][1], ten [ 2 ].', [1, 2, 3]],
  ['Nine [1, 3] and [4;5].', 'Nine [1, 3] and [4;5].', [1, 3, 4, 5]],
  ['Nine [2-4] [1–2].', 'Nine [2-4] [1–2].', [1, 2, 3, 4]],
  ['Nine [7].', 'Nine.', []],
  ['Nine[0] ten[6]', 'Nine ten', []],
  ['Nine [1, 7] [7, 2, 99999999999999999999].', 'Nine [1] [2].', [1, 2]],
  ['Nine [4-900000000000].', 'Nine [4, 5].', [4, 5]],
  ['Nine [9-2].', 'Nine [2].', [2]],
  ['[x] [ ] [] [-1] [1a] [a1] [note 7] [1', '[x] [ ] [] [-1] [1a] [a1] [note 7] [1', []],
  [`[${'1 '.repeat(60)}] [2]`, `[${'1 '.repeat(60)}] [2]`, [2]],
  [
    'Say `list[7]` or ``a` [8]`` [9].\n```js\nlist[7]\n\nlist[1]\n```\nso [1] [9]',
    'Say `list[7]` or ``a` [8]``.\n```js\nlist[7]\n\nlist[1]\n```\nso [1]',
    [1],
  ],
  ["It`s five [7] o'clock\nor six [7]", "It`s five [7] o'clock\nor six", []],
])('checks the citations in %j', (answer, text, cited) => {
  expect(check([answer])).toEqual({ text, cited })
  expect(check([...answer])).toEqual({ text, cited })
})

test('the result does not depend on how the reply is split into tokens', () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    '1',
    '3',
    '7',
    ',',
    '-',
    ' ',
    '`',
    '```',
    '\n',
    'word',
    '[1]',
    '[7]',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(check(pieces)).toEqual(check([pieces.join('')]))
    }),
    { numRuns: 500 },
  )
})

test('buffers only a possible start of a citation', () => {
  const citations = new CitationCheck(5)
  expect(['Nine', ' o', ' [a', ' [', '1', ']', '.'].map((piece) => citations.pass(piece))).toEqual([
    'Nine',
    ' o',
    ' [a',
    '',
    '',
    ' [1]',
    '.',
  ])
})
