import { describe, expect, test } from 'vitest'
import { splitText } from './split-text.ts'

/** 60 rows of a table, which fill several chunks. */
const rows = (make: (index: number) => string) =>
  Array.from({ length: 60 }, (_, index) => `${make(index + 1)}\n`).join('')
const priced = rows((index) => `Article number ${index},${index * 3}.50`)
const wide = rows((index) => `Article ${index},${index},2024-03-15,${index}%,shelf ${index}`)

describe('each chunk with rows of a sheet has the header', () => {
  test.each<[what: string, text: string, header: string, row: RegExp]>([
    [
      'in the first line',
      `# Data\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'below a title',
      `# Data\nQuarterly price list\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'below a title and a blank line',
      `# Data\nQuarterly price list\n\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'below two titles',
      `# Data\nPrice list\nvalid from March\n\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'below a title in quotes',
      `# Data\n"Prices, taxes and fees"\n\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'below a title in another column',
      `# Data\n,Price list\n\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'below names and values',
      `# Data\nPrice list\nDate:,2026-01-01\nAuthor:,Ada\n\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'below one name and value',
      `# Data\nDate:,2026-01-01\n\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'of a wide table below names and values',
      `# Data\nDate:,2026-01-01\nAuthor:,Ada\nArticle,Units,Since,Share,Place\n${wide}`,
      'Article,Units,Since,Share,Place',
      /Article \d/,
    ],
    [
      'of a wide table with an empty corner',
      `# Data\nReport\n,Units,Since,Share,Place\n${wide}`,
      ',Units,Since,Share,Place',
      /Article \d/,
    ],
    [
      'of a wide table below a wide title',
      `# Data\nACME,,Printed,2026-01-01\n\nArticle,Units,Since,Share,Place\n${wide}`,
      'Article,Units,Since,Share,Place',
      /Article \d/,
    ],
    [
      'with years',
      `# Data\nSales\n\nRegion,2024,2025\n${rows((index) => `Region ${index},${index}00,${index}50`)}`,
      'Region,2024,2025',
      /Region \d/,
    ],
    [
      'of words only',
      `# Data\nContacts\n\nName,City,Role\n${rows((index) => `Person ${index},Köln,Engineer of group ${index}`)}`,
      'Name,City,Role',
      /Person \d/,
    ],
    [
      'of the second sheet',
      `# One\nx,y\n1,2\n\n# Two\nTitle\n\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'with rows in groups',
      `# Data\nTitle\n\nArticle,Net price EUR\n${priced}\nNorth\n${priced}\nSouth\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'of a CSV file with a title',
      `Price list\n\nArticle,Net price EUR\n${priced}`,
      'Article,Net price EUR',
      /Article number/,
    ],
    [
      'of a CSV file with semicolons',
      `Price list, 2026\n\nArticle;Net price EUR\n${rows((index) => `Article number ${index};${index},50`)}`,
      'Article;Net price EUR',
      /Article number/,
    ],
    [
      'of a CSV file with tabs',
      `Price list\nArticle\tNet price EUR\n${rows((index) => `Article number ${index}\t${index}`)}`,
      'Article\tNet price EUR',
      /Article number/,
    ],
  ])('%s', async (_what, text, header, row) => {
    const chunks = await splitText(text, { kind: 'table', maxTokens: 120, overlapTokens: 20 })
    const withRows = chunks.filter(({ content }) => row.test(content))
    expect(withRows.length).toBeGreaterThan(2)
    for (const { content } of withRows) expect(`\n${content}`).toContain(`\n${header}\n`)
  })
})

test('tables below each other have their own headers', async () => {
  const text = `# Data\nArticle,Net price EUR\n${priced}\nRegion,Units,Share\n${rows((index) => `Region ${index},${index},${index}%`)}`
  const chunks = await splitText(text, { kind: 'table', maxTokens: 120, overlapTokens: 20 })
  for (const { content } of chunks.filter(({ content }) => /^Region \d/m.test(content)))
    expect(content).toContain('Region,Units,Share\n')
  for (const { content } of chunks.filter(({ content }) => /^Article number/m.test(content)))
    expect(content).toContain('Article,Net price EUR\n')
})

test.each([
  ['one column', `# Data\n${rows((index) => `line ${index} of a list`)}`],
  ['numbers only', `# Data\n${rows((index) => `${index},${index}`)}`],
  ['an open quote', `# Data\n"open\n${priced}`],
  ['blank lines only', '# Data\n\n\n\n'],
  ['a row after each blank line', rows((index) => `a,b\n\n1,${index}\n`)],
])('a sheet of %s is covered completely', async (_what, text) => {
  const chunks = await splitText(text, { kind: 'table', maxTokens: 64, overlapTokens: 16 })
  const found = chunks.map(({ content }) => content).join('\n')
  for (const line of text.split('\n').filter((line) => line.trim() !== '')) expect(found).toContain(line)
})
