import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findHostileFunctions, hostileIn } from '#tests/support/hostile-functions.ts'

/*
 * Every exported synchronous function that reads text of others has a row in a test of growth, so that it cannot stop the
 * event loop or freeze a page. A parameter with such text has one of the names in tests/support/hostile-functions.ts. If
 * this test names your function, add a row: `readerRow('reading a thing', readThing)`.
 */

const TESTS = ['tests/house/growth*.test.ts', 'console/src/growth.test.ts']

/** Functions without a row, by the reason. */
const WITHOUT_ROW: Record<string, readonly string[]> = {
  'text of the server itself or of its operator': [
    'doctor/check.ts ok',
    'doctor/check.ts warning',
    'doctor/check.ts problem',
    'start-workers.ts readWorkers',
    'transaction-control.ts assertNoTransactionControl',
    'watch-database.ts textInSpan',
    'event-listeners.ts EventListeners',
  ],
  'stores, compares or concatenates the whole text': [
    'stored-drafts.ts storeDraft',
    'agents/tool-config.ts configWith',
    'text-buffer.ts TextBuffer',
    'importing.ts Importing',
    'write-message.ts writeHeaders',
    'envelope.ts enveloped',
    'stored-requests.ts StoredRequests',
    'signatures.ts sign',
    'failures.ts refusalInStream',
    'usage.ts usageOf',
    'post-messages.ts isFromFrame',
    'post-messages.ts isToFrame',
    'web-address.ts parseAddress',
    'media-formats.ts imageTypeOf',
    'media-formats.ts videoTypeOf',
  ],
  'checks the length first': ['stream-body.ts isDone'],
  'called by a function with a row': [
    'connect.ts readAttemptCookie',
    'parse-sitemap.ts parseSitemap',
    'unicode-text.ts decodeUnicode',
    'text-lines.ts Lines',
    'text-lines.ts isBlank',
    'markdown-writer.ts MarkdownWriter',
    'simplify.ts Simplifier',
  ],
  'runs in a reader process, whose time is limited; tested by hostile-office-files.test.ts': [
    'block-writer.ts BlockWriter',
    'docx-body.ts DocxBody',
    'docx-story.ts DocxStory',
    'equations.ts EquationReader',
    'odf-sheets.ts OdfSheets',
    'odf-text.ts OdfText',
    'xml.ts XmlParser',
    'decode-text.ts decodeText',
  ],
  'looks at the end of the text': ['pdf-annotations.ts isUnchecked'],
  'writes one short line': ['log-fault.ts logFault'],
  'searches for the names of at most eight servers': ['discovery-mode.ts Discovery'],
}

/** Returns the names that the tests of growth import, with the file of each. */
const imported = TESTS.flatMap((pattern) => globSync(pattern)).flatMap((test) =>
  [...readFileSync(test, 'utf8').matchAll(/import \{([^}]+)\} from '([^']+)'/g)].flatMap(
    ([, names = '', from = '']) => {
      const file = from.startsWith('#') ? from.replace('#', 'server/') : join(dirname(test), from)
      return names
        .split(',')
        .map((name) => name.trim().split(' as ')[0] ?? '')
        .map((name) => `${file === 'server/errors' ? 'server/errors/index.ts' : file} ${name}`)
    },
  ),
)

test('every function that reads text of others has a row', () => {
  const excepted = Object.values(WITHOUT_ROW).flat()
  const missing = findHostileFunctions()
    .map(({ file, name }) => `${file} ${name}`)
    .filter((one) => !imported.includes(one) && !excepted.some((end) => one.endsWith(`/${end}`)))
  expect([...new Set(missing)]).toEqual([])
})

test('every exception names such a function', () => {
  const found = findHostileFunctions().map(({ file, name }) => `${file} ${name}`)
  const unknown = Object.values(WITHOUT_ROW)
    .flat()
    .filter((end) => !found.some((one) => one.endsWith(`/${end}`)))
  expect(unknown).toEqual([])
})

test.each([
  ['export function readPage(html: string): void {}', ['readPage']],
  ['export const wordsOf = (text: string, max = 3): string[] => [text]', ['wordsOf']],
  ["export const wordsOf = (text = '', max: number): string[] => []", ['wordsOf']],
  ['export class Reader {\n  feed(chunk: Buffer): void {}\n}', ['Reader']],
  ['export function* linesOf(lines: number, body: readonly string[]): Generator<string> {}', ['linesOf']],
  ['export async function readPage(html: string): Promise<void> {}', []],
  ['function readPage(html: string): void {}', []],
  ['export const find = (id: string, name: string): void => {}', []],
])('finds the functions in %s', (text, names) => {
  expect(hostileIn('a.ts', text).map(({ name }) => name)).toEqual(names)
})
