import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadTokenCounter } from '../models/count-tokens.ts'
import { type Chunk, splitText, type TextKind } from './split-text.ts'

/** Tests properties of the chunks of arbitrary documents, and the exact chunks of typical documents. */

const count = await loadTokenCounter()
const KINDS: TextKind[] = ['markdown', 'plain', 'pages', 'table']
const kinds = fc.constantFrom(...KINDS)
const bare = (text: string): string => text.replace(/\s+/g, '')

/** Checks the properties that hold for the chunks of every document. */
function checkChunks(text: string, chunks: Chunk[], maxTokens: number): void {
  const words = new Set<string>()
  for (const [index, { content, position, tokens, headings }] of chunks.entries()) {
    expect(position).toBe(index)
    expect(content.trim()).not.toBe('')
    expect(content.trimEnd()).toBe(content)
    expect(content.isWellFormed()).toBe(true)
    expect(tokens).toBe(count(content))
    expect(tokens).toBeLessThanOrEqual(maxTokens)
    for (const heading of headings) expect(bare(text)).toContain(bare(heading))
    for (const word of content.split(/\s+/)) words.add(word)
  }
  expect(
    covers(
      bare(text),
      chunks.map(({ content }) => bare(content)),
    ),
  ).toBe(true)
}

/** Returns true if the chunks cover the whole text in order. A chunk may start with text of the previous chunk. */
function covers(text: string, chunks: string[]): boolean {
  let reached = new Set([0])
  for (const chunk of chunks) {
    const next = new Set<number>()
    for (const from of reached)
      for (let repeated = 0; repeated < chunk.length; repeated++)
        if (
          text.startsWith(chunk.slice(repeated), from) &&
          (repeated === 0 || text.slice(0, from).includes(chunk.slice(0, repeated)))
        )
          next.add(from + chunk.length - repeated)
    reached = next
  }
  return reached.has(text.length)
}

/** Lines as in real documents. Each word is unique, so that a lost word is detected. */
const documents = fc
  .array(
    fc.record({
      mark: fc.constantFrom(
        '',
        '',
        '',
        '# ',
        '## ',
        '### ',
        '- ',
        '1. ',
        '  - ',
        '> ',
        '```',
        '~~~',
        '| ',
        '\f',
        '"',
        '    ',
      ),
      words: fc.integer({ min: 0, max: 60 }),
      between: fc.constantFrom(' ', ' ', '. ', ', ', ',', ' | ', '\u3000', '? ', ''),
      end: fc.constantFrom('\n', '\n', '\n\n', '\n---\n', '\n===\n', '\n| --- |\n', ' \n\n\n'),
    }),
    { maxLength: 40 },
  )
  .map((lines) => {
    let number = 0
    const line = (words: number, between: string): string =>
      Array.from({ length: words }, () =>
        `w${(number++).toString(36)}é😀`.slice(0, number % 3 === 0 ? undefined : -3),
      ).join(between)
    return lines.map(({ mark, words, between, end }) => mark + line(words, between) + end).join('')
  })

const sizes = fc.integer({ min: 32, max: 400 })

describe('any text', () => {
  test('is split in order, within the limit and without loss: documents', async () => {
    await fc.assert(
      fc.asyncProperty(documents, kinds, sizes, async (text, kind, maxTokens) => {
        const options = { kind, maxTokens, overlapTokens: maxTokens >> 3 }
        const chunks = await splitText(text, options)
        checkChunks(text, chunks, maxTokens)
        expect(await splitText(text, options)).toEqual(chunks)
      }),
      { numRuns: 100 },
    )
  })

  test('is split in order, within the limit and without loss: arbitrary strings', async () => {
    const anything = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.constantFrom(
          '\n',
          '\n\n',
          ' ',
          '. ',
          '# ',
          '|',
          '```',
          '\f',
          '"',
          '字'.repeat(300),
          '😀'.repeat(99),
          '-'.repeat(500),
        ),
      ),
      { maxLength: 30 },
    )
    await fc.assert(
      fc.asyncProperty(anything, kinds, sizes, async (pieces, kind, maxTokens) => {
        const text = pieces.join('').toWellFormed()
        checkChunks(text, await splitText(text, { kind, maxTokens, overlapTokens: 8 }), maxTokens)
      }),
      { numRuns: 100 },
    )
  })
})

const long = (words: string, times: number): string => words.repeat(times).trim()
const PARAGRAPH = long('The river rises in the hills and falls into the sea. ', 12)

describe('Markdown', () => {
  const split = (text: string, maxTokens = 100) =>
    splitText(text, { kind: 'markdown', maxTokens, overlapTokens: maxTokens >> 2 })

  test('has headings of both styles, but none inside code', async () => {
    const text = `# Guide #\n\nFirst.\n\nSetting up\n---\n\nSecond.\n\n### Deep\nThird.\n\n\`\`\`sh\n# no heading\n\`\`\`\n\n    # nor this\n\nTop\n===\n\nFourth.\n`
    const chunks = await split(text)
    expect(chunks.map(({ headings }) => headings)).toEqual([
      ['Guide'],
      ['Guide', 'Setting up'],
      ['Guide', 'Setting up', 'Deep'],
      ['Top'],
    ])
    expect(chunks[2]?.content).toContain('# no heading')
    expect(chunks[3]?.content).toBe('Top\n===\n\nFourth.')
  })

  test('is joined under one heading, and a heading stays with the text below it', async () => {
    const chunks = await split(`# A\n\n## B\n\nOne.\n\nTwo.\n\n- three\n- four\n\n## C\n\n${PARAGRAPH}`)
    expect(chunks[0]).toMatchObject({
      content: '# A\n\n## B\n\nOne.\n\nTwo.\n\n- three\n- four',
      headings: ['A', 'B'],
      page: null,
    })
    expect(chunks[1]?.content).toMatch(/^## C\n\nThe river/)
    expect(chunks[1]?.headings).toEqual(['A', 'C'])
  })

  test('with a long paragraph is split between sentences, with overlap', async () => {
    const sentences = Array.from({ length: 30 }, (_, index) => `Sentence number ${index} says a little.`)
    const chunks = await split(sentences.join(' '))
    expect(chunks.length).toBeGreaterThan(2)
    for (const [index, { content }] of chunks.entries()) {
      expect(content).toMatch(/^Sentence .* little\.$/)
      const before = chunks[index - 1]?.content
      if (before) expect(before).toContain(`${content.split('. ')[0]}.`)
    }
  })

  test('has no overlap between sections', async () => {
    const [, second] = await split(`# A\n\nThe end of A.\n\n# B\n\nThe beginning of B.`)
    expect(second?.content).toBe('# B\n\nThe beginning of B.')
  })

  test('with a long table is split between rows, and each chunk repeats the header', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => `| city ${index} | ${index * 7} |`)
    const chunks = await split(
      `# Towns\n\nAll of them:\n\n| name | size |\n| --- | ---: |\n${rows.join('\n')}\n\nThe end.`,
    )
    for (const { content } of chunks) expect(content).toContain('| name | size |\n| --- | ---: |\n| city')
    for (const row of rows) expect(chunks.filter(({ content }) => content.includes(row))).toHaveLength(1)
  })

  test('keeps code that fits whole and splits longer code between lines', async () => {
    const code = `\`\`\`js\n${long('const a = 1\n\n', 8)}\n\`\`\``
    const chunks = await split(`${PARAGRAPH.slice(0, 300)}\n\n${code}\n\nAfter.`)
    expect(chunks.some(({ content }) => content.includes(code))).toBe(true)
    const parted = await split(`\`\`\`\n${long('const someName = 1\n', 100)}\n\`\`\``)
    for (const { content } of parted) expect(content).toMatch(/(^|\n)(const someName = 1|```)$/)
  })

  test('has no heading in its front matter', async () => {
    const [chunk] = await split('---\ntitle: A guide\n---\n\nText.')
    expect(chunk?.headings).toEqual([])
  })
})

test('a sentence over several lines stays whole', async () => {
  const text = long('This is a sentence that somebody\nbroke into lines of one length.\n', 20)
  const chunks = await splitText(text, { kind: 'plain', maxTokens: 64, overlapTokens: 0 })
  for (const { content } of chunks) expect(content).toMatch(/^This[\s\S]*length\.$/)
})

describe('pages', () => {
  const split = (text: string) => splitText(text, { kind: 'pages', maxTokens: 100, overlapTokens: 20 })

  test('are never mixed in one chunk', async () => {
    const chunks = await split(`One.\f\fThree.\n\nMore of it.\f${PARAGRAPH}`)
    expect(chunks.map(({ page }) => page)).toEqual([1, 3, 4, 4])
    expect(chunks[1]?.content).toBe('Three.\n\nMore of it.')
  })

  test('share a sentence that continues on the next page', async () => {
    const [, second] = await split('It is done. The river rises in\fthe hills.')
    expect(second).toMatchObject({ content: 'It is done. The river rises in\nthe hills.', page: 2 })
  })
})

describe('tables', () => {
  const split = (text: string) => splitText(text, { kind: 'table', maxTokens: 64, overlapTokens: 16 })

  test('keep rows whole, below the header and the name of the sheet', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => `${index},"a ""note""\nin lines, ${index}"`)
    const chunks = await split(`# Notes\nid,note\n${rows.join('\n')}\n\n# Other\na,b\n1,2\n`)
    for (const { content } of chunks.slice(0, -1))
      expect(content).toMatch(/(^|\n)id,note\n\d+,"a ""note""\nin/)
    for (const row of rows) expect(chunks.filter(({ content }) => content.includes(row))).toHaveLength(1)
    expect(chunks[0]?.headings).toEqual(['Notes'])
    expect(chunks.at(-1)).toMatchObject({ content: '# Other\na,b\n1,2', headings: ['Other'] })
  })

  test('have no chunk of blank rows', async () => {
    const rows = Array.from(
      { length: 12 },
      (_, index) => `row ${index},${'word '.repeat(8)}\n${'\n'.repeat(40)}`,
    )
    for (const { content } of await split(`id,note\n${rows.join('')}`))
      expect(content).toMatch(/row \d+,word/)
  })

  test('lose no rows to an unclosed quote', async () => {
    const chunks = await split(`a,b\n1,"x\n${long('2,y\n', 300)}`)
    expect(chunks.length).toBeGreaterThan(10)
  })
})

describe('long and unusual texts', () => {
  const SIZE = 2_000_000
  test.each<[string, string, TextKind]>([
    ['one word', 'a'.repeat(SIZE), 'plain'],
    ['one word outside the Basic Multilingual Plane', '𝒳'.repeat(SIZE / 10), 'markdown'],
    ['one line of Chinese', '漢字仮名交'.repeat(SIZE / 40), 'plain'],
    ['headings', '# a\n'.repeat(100_000), 'markdown'],
    ['headings above single words', '# a\nb\n'.repeat(30_000), 'markdown'],
    ['blanks', `a${' '.repeat(SIZE)}b`, 'plain'],
    ['blank lines', `a${'\n'.repeat(SIZE)}b`, 'markdown'],
    ['form feeds', '\f'.repeat(SIZE), 'pages'],
    ['quotes', '"\n'.repeat(SIZE / 2), 'table'],
    ['pipes', '|\n-|\n'.repeat(SIZE / 20), 'markdown'],
    ['number signs', '#'.repeat(SIZE), 'markdown'],
  ])('%s', { timeout: 60_000 }, async (_name, text, kind) => {
    const chunks = await splitText(text, { kind })
    const most = chunks.reduce((max, { tokens }) => Math.max(max, tokens), 0)
    expect(most).toBeLessThanOrEqual(400)
  })
})
