import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findProseHits } from '#tests/support/prose.ts'

/*
 * Checks the prose of every tracked file for patterns that docs/style.md rules out: comments, Markdown, descriptions of
 * the API, error sentences and English messages.
 */

const READ = /\.(?:ts|tsx|js|cjs|css|sql|py|sh|md)$|^openapi\.json$/
/** Machine-written files, released migrations, texts that tests feed to the server, and other languages. */
const NOT_PROSE = /generated\.ts$|\/migrations\/|(?:^|\/)fixtures\/|\/messages\/de(?:\/|\.ts$)/

/** Sentences of the specification that stay word for word, because clients compare them. */
const SPECIFIED: ReadonlySet<string> = new Set([])

const FILES = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => READ.test(file) && !NOT_PROSE.test(file))

test('prose follows docs/style.md', () => {
  const hits = FILES.flatMap((file) =>
    findProseHits(file, readFileSync(file, 'utf8'), SPECIFIED).map(
      ({ line, words }) => `${file}:${line}: "${words}"`,
    ),
  )
  expect(hits).toEqual([])
})

test.each([
  ['a.ts', '// What is left is deleted.', 1, 'What'],
  ['a.ts', 'const a = 1\n/**\n * Deletes rows. Whoever\n * asks gets 404.\n */', 3, 'Whoever'],
  ['a.css', '/* It can not grow. */', 1, 'can not'],
  ['a.sh', 'run # somebody and his rows', 1, 'his'],
  ['a.ts', '// Kept for a day (contract, 5).', 1, '(contract,'],
  ['a.sql', 'select 1 -- Nobody reads it', 1, 'Nobody'],
  ['a.md', '# Title\n\n- One.\n- So many rows stay.', 4, 'So many'],
  ['a.md', '| Limit | Value |\n|---|---|\n| Rows | Of each page 10 |', 3, 'Of each'],
  ['a.md', 'Waits meanwhile.\nStops\nmeanwhile.', 3, 'meanwhile'],
  ['console/src/messages/en/chat.ts', "export default { a: 'Who writes sees this.' }", 1, 'Who'],
  ['server/parts/chat/errors.ts', "  gone: [404, 'The user whom it names is gone.'],", 1, 'whom'],
  ['openapi.json', '{\n"description": "Where it is empty, 10 applies."', 2, 'Where it'],
])('finds a pattern in %s: %s', (file, text, line, words) => {
  expect(findProseHits(file, text)).toEqual([{ line, words }])
})

test.each([
  ['a.md', '## What this promises\n\nWhat next? Run `what can not`.\n\n```\nWhat it prints\n```'],
  ['a.md', '| Who may read it |\n|---|\n| The server prints "who is told". |'],
  ['a.ts', "const text = 'What is left'\n// Serves 2 times as many as before, to tell who is told apart."],
  ['a.ts', '/**\n * Returns a page.\n */\nconst his = 1'],
])('allows headings, questions, quotations and code: %s %s', (file, text) => {
  expect(findProseHits(file, text)).toEqual([])
})
