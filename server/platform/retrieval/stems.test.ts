import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectDatabase, type OpenDatabase } from '#database/connect.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { createDatabase } from '#tests/support/server.ts'
import type { Language } from './languages.ts'
import { createStemmer } from './stems.ts'

const LANGUAGES: Record<Language, true> = {
  simple: true,
  arabic: true,
  armenian: true,
  basque: true,
  catalan: true,
  danish: true,
  dutch: true,
  english: true,
  finnish: true,
  french: true,
  german: true,
  greek: true,
  hindi: true,
  hungarian: true,
  indonesian: true,
  irish: true,
  italian: true,
  lithuanian: true,
  nepali: true,
  norwegian: true,
  portuguese: true,
  romanian: true,
  russian: true,
  serbian: true,
  spanish: true,
  swedish: true,
  tamil: true,
  turkish: true,
  yiddish: true,
}

describe.each(['PostgreSQL', 'embedded'])('%s', (engine) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-stems-'))
  let database: OpenDatabase
  let made: Awaited<ReturnType<typeof createDatabase>> = null
  beforeAll(async () => {
    made = engine === 'PostgreSQL' ? await createDatabase() : null
    if (made === null) await copyEmbedded(dataDir)
    database = await connectDatabase({ databaseUrl: made?.url ?? null, dataDir })
  })
  afterAll(async () => {
    await database.close()
    await made?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const stemsOf = async (words: string[], language: Language): Promise<(string | null)[]> =>
    words.map(await createStemmer(database.sql).stems(words, language))

  test('forms of a word share a stem, and stop words have none', async () => {
    expect(await stemsOf(['running', 'runs', 'the', 'invoices'], 'english')).toEqual([
      'run',
      'run',
      null,
      'invoic',
    ])
    expect(await stemsOf(['before', 'was'], 'english')).toEqual(['before', null])
    expect(await stemsOf(['häuser', 'haus', 'der'], 'german')).toEqual(['haus', 'haus', null])
    expect(await stemsOf(['the', 'Running', 'x'], 'simple')).toEqual(['the', 'Running', 'x'])
  })

  test('English words in a text of another script are stemmed too', async () => {
    expect(await stemsOf(['книгами', 'и', 'running', 'the'], 'russian')).toEqual(['книг', null, 'run', null])
    expect(await stemsOf(['running'], 'german')).toEqual(['running'])
  })

  test.each(Object.keys(LANGUAGES) as Language[])('%s has a stemmer', async (language) => {
    expect(await stemsOf(['x1z', '42'], language)).toEqual(['x1z', '42'])
  })

  test('any word has a stem or none, in its position', async () => {
    const odd = [
      '',
      ' ',
      "x'y",
      'x"y\\',
      'a b',
      'a\nb',
      'x\0y',
      '\ud800',
      'ab'.repeat(100_000),
      '😀',
      '{}',
      'null',
    ]
    const stems = await stemsOf([...odd, 'running', 'running'], 'english')
    expect(stems.slice(-2)).toEqual(['run', 'run'])
    const word = fc.string({ unit: 'binary', maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 20 }), async (words) => {
        const found = await stemsOf([...words, 'invoices'], 'english')
        expect(found).toHaveLength(words.length + 1)
        expect(found.at(-1)).toBe('invoic')
      }),
      { numRuns: 30 },
    )
  })

  test('more words than fit in the cache or one query are stemmed, repeatedly', async () => {
    const words = Array.from({ length: 45_000 }, (_, at) => `wa${at}qings`)
    const stemmer = createStemmer(database.sql)
    for (const batch of [words, words.slice(10_000, 20_000), words]) {
      const stem = await stemmer.stems(batch, 'english')
      expect(batch.every((word) => stem(word) === word.slice(0, -4))).toBe(true)
    }
  })

  test('known words are not queried again', async () => {
    let statements = 0
    const sql = new Proxy(database.sql, {
      apply: (target, self, parameters) => {
        statements++
        return Reflect.apply(target, self, parameters)
      },
    })
    const stemmer = createStemmer(sql)
    await stemmer.stems(['running', 'the', '42'], 'english')
    await stemmer.stems(['running', 'the', '43'], 'english')
    expect(statements).toBe(1)
    const stem = await stemmer.stems(['running'], 'german')
    expect(statements).toBe(2)
    expect(() => stem('runs')).toThrow(RangeError)
  })
})
