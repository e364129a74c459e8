import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Block, BlockSplitter } from './split-blocks.ts'

const SAMPLE = [
  '# Title\n\nA **bold** paragraph\nof two lines.\n',
  'Before\n```js\nconst a = 1\n\n// ```not yet\n```\nafter\n',
  '- one\n- two\n  - nested\n\n  more of two\n- three\n- four\n- five\n- six\n- seven\n\n3. three\n4. four\n',
  `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(30)}\n`,
  '$$\nx = 1\n\ny = 2\n$$\n\n> quote\n> more\n\n---\n\nSetext\n===\n\n<b>raw</b>\n\n',
  '~~~~py\n~~~\nstill\n~~~~\n\n[1]: https://example.com\n\nThe end of `it',
].join('\n')

const whole = (text: string): readonly Block[] => new BlockSplitter().split(text, true)

/** Joins the pieces of each block, so that tests compare blocks regardless of how they are split into pieces. */
const contents = (blocks: readonly Block[]) =>
  blocks.map((block) => ('pieces' in block ? { ...block, pieces: block.pieces.join('') } : block))

test('a streamed text has the same blocks as the whole text', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }), (steps) => {
      const splitter = new BlockSplitter()
      for (let end = 0, step = 0; end < SAMPLE.length; step += 1) {
        end += steps[step % steps.length] as number
        splitter.split(SAMPLE.slice(0, end), false)
      }
      expect(contents(splitter.split(SAMPLE, true))).toEqual(contents(whole(SAMPLE)))
    }),
    { numRuns: 60 },
  )
})

test('blocks match the Markdown', () => {
  expect(whole(SAMPLE).map(({ kind }) => kind)).toEqual([
    'prose', // the title
    'prose',
    'prose', // before the code
    'code',
    'prose',
    'list',
    'list',
    'table',
    'prose', // the formula
    'prose',
    'prose',
    'prose',
    'prose', // tags
    'code',
    'prose',
  ])
})

test('complete blocks stay the same objects', () => {
  const splitter = new BlockSplitter()
  const before = splitter.split('One.\n\nTwo.\n\nThree', false)
  const after = splitter.split('One.\n\nTwo.\n\nThree.\n\nFour', false)
  expect(after[0]).toBe(before[0])
  expect(after).toHaveLength(4)
  expect(splitter.split('One.\n\nTwo.\n\nThree.\n\nFour\n\nFive', false)[1]).toBe(after[1])
})

test.each([
  ['code', `Here:\n\n\`\`\`\n${'line of code\n'.repeat(900)}`],
  ['table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(300)}`],
  ['list', '- an item\n'.repeat(300)],
])('pieces of an unfinished %s stay unchanged, except for the last', (kind, text) => {
  const splitter = new BlockSplitter()
  let most = 0
  let before: readonly string[] = []
  for (let end = 20; end < text.length; end += 20) {
    const last = splitter.split(text.slice(0, end), false).at(-1)
    if (last?.kind !== kind || !('pieces' in last)) continue
    expect(last.pieces.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1))
    most = Math.max(most, ...last.pieces.map((piece) => piece.length))
    before = last.pieces
  }
  expect(before.length).toBeGreaterThan(20)
  expect(most).toBeLessThan(1_000)
})

test('a long paragraph is parsed only now and then, but its text is always complete', () => {
  const splitter = new BlockSplitter()
  let text = ''
  const parses = new Set<string>()
  for (let word = 0; word < 5_000; word += 1) {
    text += `word${word} `
    const blocks = splitter.split(text, false)
    expect(
      blocks
        .map((block) => ('text' in block ? block.text : ''))
        .join('')
        .trimEnd(),
    ).toBe(text.trimEnd())
    if (text.length > 4_100) parses.add((blocks[0] as { text: string }).text)
  }
  expect(parses.size).toBeLessThan(15)
  expect(splitter.split(text, true)).toEqual([{ kind: 'prose', text: text.trimEnd(), isOpen: false }])
})

test('a different text is split from its start', () => {
  const splitter = new BlockSplitter()
  splitter.split('One.\n\nTwo.\n\nThree', false)
  expect(contents(splitter.split('Other.\n\nText', true))).toEqual(contents(whole('Other.\n\nText')))
  expect(contents(splitter.split('Other.\n\nText that went on', true))).toEqual(
    contents(whole('Other.\n\nText that went on')),
  )
})

test('no word is lost', () => {
  const marks = [
    '\n',
    '\n\n',
    '\t',
    '- ',
    '1. ',
    '|',
    '|-|-|',
    '`',
    '\n```\n',
    '$$',
    '> ',
    '#',
    '\r\n',
    '*',
    '    ',
  ]
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('word', 'word', ...marks), { maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      (pieces, step) => {
        const text = pieces.join('')
        const splitter = new BlockSplitter()
        for (let end = 0; end < text.length; end += step) splitter.split(text.slice(0, end), false)
        const shown = JSON.stringify(splitter.split(text, true)) + splitter.definitions
        expect(shown.split('word').length).toBeGreaterThanOrEqual(
          text
            .split('\n')
            .filter((line) => !/^ {0,3}(`{3}|~{3})/.test(line))
            .join('')
            .split('word').length,
        )
      },
    ),
    { numRuns: 300 },
  )
})
