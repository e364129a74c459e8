import { afterAll, expect, test } from 'vitest'
import { createDocuments, DocumentError } from './documents.ts'

/** Web pages that take long to read. Each is read or refused in time, and does not delay the next one. */

const hasty = createDocuments(undefined, { clockMs: 3_000 })
afterAll(() => hasty.close())
const readHasty = (page: string) =>
  hasty.readPage({ bytes: Buffer.from(page), contentType: 'text/html', url: 'https://farm.example/' })

test.each<[string, () => string]>([
  ['a million links', () => `<body>${'<a href=/>x</a>'.repeat(330_000)}`],
  ['deeply nested elements', () => `<body>${'<div>'.repeat(5_000)}deep`],
  ['nested links', () => `<body>${'<a href="/x">x'.repeat(3_000)}`],
  ['nested tables', () => `<body>${'<table><tr><td>x'.repeat(2_000)}`],
  ['nested quotes', () => `<body>${'<blockquote>x'.repeat(2_000)}`],
  ['an element with many attributes', () => `<body><p ${'a=1 '.repeat(300_000)}>x`],
  ['an unfinished tag', () => `<body>${'<'.repeat(200_000)}`],
  ['an unfinished comment', () => `<body>x<!--${'-'.repeat(2_000_000)}`],
  ['entities', () => `<body>${'&amp;'.repeat(100_000)}`],
])(
  'a page with %s is read or explained, and the next page is read',
  { timeout: 120_000 },
  async (_what, make) => {
    const outcome = await readHasty(make()).catch((error: unknown) => error)
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DocumentError)
    // On a slow machine, starting a new reader may exceed the timeout.
    const next = () => readHasty('<p>the next').then(({ text }) => text, String)
    await expect.poll(next, { timeout: 60_000 }).toBe('the next')
  },
)
