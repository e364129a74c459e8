import { beforeAll } from 'vitest'
import { type GrowthRow, readerRow, repeated, testReaders } from '../../tests/support/growth.ts'
import { fenceOf, isClosing, mayClose, withoutIndent } from './markdown/code-fence.ts'
import { highlighter } from './markdown/highlight.ts'
import { plainPieces } from './markdown/plain-pieces.ts'
import { hasFormula, prepareProse } from './markdown/prepare-prose.ts'
import { BlockSplitter } from './markdown/split-blocks.ts'
import { joined, linesOf, partsOfTable, piecesOf, tokensOf } from './markdown/tokens.ts'
import { loadText } from './messages/index.ts'
import { filterProblem } from './screens/knowledge/filter-problem.ts'
import { markHits } from './screens/knowledge/highlight.ts'
import { parseQuestions } from './screens/knowledge/parse-questions.ts'
import { differencesOf } from './screens/organization/difference.ts'
import { addressesIn } from './screens/people/addresses.ts'
import { lineOf } from './screens/tools/error-line.ts'
import { parseToolFile } from './screens/tools/tool-file.ts'

/* Functions that read text of models, documents and members in a page, where slow code freezes the tab. */

const fence = { indent: 3, marks: '```', language: '', length: 4 }
const UPDATES = 20
/** The length of a long reply. */
const SHOWN_CHARACTERS_MAX = 64_000
/** Longer code is shown without colours. */
const HIGHLIGHTED_CHARACTERS = 12_000

beforeAll(async () => {
  await Promise.all([loadText('rest'), highlighter.load()])
})

const ROWS: GrowthRow[] = [
  readerRow('reading fences', (text) => [
    fenceOf(text),
    fenceOf(`${text}\n`),
    fenceOf(`\`\`\`${text}\n`),
    isClosing(text, fence),
    mayClose(text, fence),
    withoutIndent(text, fence),
  ]),
  readerRow('removing Markdown', (text) => plainPieces(text, [{ start: 5, end: 9 }]), [
    ['', '| --- '],
    ['', '|:-'],
    ['', '![a'],
    ['', '[a](b'],
  ]),
  readerRow('preparing formulas', (text) => [prepareProse(text), hasFormula(text)], [
    ['', '\\('],
    ['', '$a'],
    ['', '$$'],
    ['$$', 'a'],
    ['', '$1 a'],
    ['', '`a'],
    ['', '[^'],
    ...repeated('\\[a', '\\(a', '``a`', '$a\\'),
  ]),
  readerRow(
    'splitting Markdown into blocks while it grows',
    (text) => {
      const splitter = new BlockSplitter()
      for (let update = 1; update <= UPDATES; update += 1)
        splitter.split(text.slice(0, (text.length * update) / UPDATES), update === UPDATES)
    },
    [
      ['```\n', 'a\n'],
      ['| a |\n|---|\n', '| b |\n'],
      ['', '- a\n\n'],
      ['', '[a]: b\n'],
      ['', '$$a\n\n'],
      ['', '> - > '],
    ],
  ),
  readerRow('reading the tokens of Markdown', tokensOf, [
    ['', '> > '],
    ['', '[a]: b\n'],
    ['', '<!-- '],
    ['', '- - '],
    ['| a |\n|---|\n', '| b |\n'],
  ]),
  readerRow('dividing a table', (text) => [
    partsOfTable(text),
    piecesOf(linesOf(text), 8, true),
    joined(linesOf(text)),
  ]),
  readerRow('highlighting code', (text) =>
    highlighter.value?.(text.slice(0, HIGHLIGHTED_CHARACTERS), 'typescript'),
  ),
  readerRow('checking a filter', filterProblem),
  readerRow(
    'marking hits',
    (text) => markHits(text, { words: ['searched', 'word'], phrases: ['a b'], prefixes: ['pre'] }),
    [['', 'searches ']],
  ),
  readerRow('parsing questions', parseQuestions, [
    ['', '"a",'],
    ['"', 'a'],
    ['', 'a;b\n'],
  ]),
  readerRow('comparing two states of a record', (text) =>
    differencesOf({ text, list: text.split(' ') }, { text: `${text}!`, list: text.split(' ').reverse() }),
  ),
  readerRow('finding addresses', addressesIn, [
    ['', 'a@b.c '],
    ['', '<a'],
    ['', 'a@'],
  ]),
  readerRow('finding the line of an error', lineOf, [
    ['', 'line 1'],
    ['', 'tool:'],
  ]),
  readerRow('reading a file of a tool', parseToolFile),
]

testReaders(ROWS, SHOWN_CHARACTERS_MAX)
