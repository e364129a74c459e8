import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { expect } from 'vitest'
import { DEFAULT_CHUNKING } from '#parts/kb/chunking.ts'
import { splitText } from '#platform/documents/split-text.ts'
import { expectSound } from '#tests/support/kb-invariants.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import { createRandom } from '#tests/support/random.ts'
import { page, type Website } from '#tests/support/website.ts'
import type { Battlefield } from './kill-server.ts'

/*
 * Kills (kill -9) a server that reads a website and indexes texts, at a moment that the seed selects, and starts
 * another one. Afterwards every document must be ready and have each of its chunks exactly once.
 */

const TEXTS = 30
const PAGES = 10
const KILL_WITHIN_MS = 1_500

export async function killIngestion(
  field: Battlefield & { databaseUrl: string; website: Website },
  seed: number,
): Promise<void> {
  const random = createRandom(seed)
  const { website } = field
  const doomed = field.server ?? (await startProcess(field.environment))
  const person = await doomed.signUp()
  const texts = Array.from({ length: TEXTS }, (_, at) => write(random, at))
  const paths = Array.from({ length: PAGES }, (_, at) => `/${seed}/${at}`)
  website.pages = { [`/${seed}`]: page(`Home ${seed}`, ...paths) }
  for (const path of paths) website.pages[path] = page(`Page ${path}`)
  const url = website.at(`/${seed}`, '127.0.0.1')
  const kb = await librarian(doomed, person).create({
    chunking: { max_tokens: MAX_TOKENS },
    sources: [
      { type: 'web', config: { url, max_pages: PAGES + 1, max_depth: 1 } },
      ...texts.map((content, at) => textSource(`Text ${at}`, content)),
    ],
  })
  await sleep(random() * KILL_WITHIN_MS)
  await doomed.kill()
  await field.passTime()

  const heir = await startProcess(field.environment)
  field.server = heir
  const { documents } = await librarian(heir, person).settle(kb)
  expect(documents).toEqual({ total: TEXTS + PAGES + 1, ready: TEXTS + PAGES + 1, failed: 0, pending: 0 })
  await expectWhole(field.databaseUrl, kb, texts)
  await expectQuiet(heir)
}

const MAX_TOKENS = 40
const WORDS = 'the quick brown fox jumps over a lazy dog while seven wizards boil fresh pumpkin soup'.split(
  ' ',
)

const write = (random: () => number, at: number): string =>
  `# Text ${at}\n\n${Array.from(
    { length: 20 + Math.floor(random() * 400) },
    () => WORDS[Math.floor(random() * WORDS.length)],
  ).join(' ')}.`

async function expectWhole(databaseUrl: string, kb: string, texts: string[]): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await expectSound(sql, kb)
    for (const [at, text] of texts.entries()) {
      const chunks = await sql<{ content: string }[]>`
        select content from kb_chunks c join kb_documents d on d.id = c.document_id
        where c.kb_id = ${kb} and d.name = ${`Text ${at}`} order by position`
      const wanted = await splitText(text, {
        kind: 'markdown',
        maxTokens: MAX_TOKENS,
        overlapTokens: OVERLAP,
      })
      expect(chunks.map(({ content }) => content)).toEqual(wanted.map(({ content }) => content))
    }
  } finally {
    await sql.end()
  }
}

const OVERLAP = Math.min(DEFAULT_CHUNKING.overlap_tokens, MAX_TOKENS / 4)

const expectQuiet = async (server: ServerProcess): Promise<void> =>
  expect(server.output()).not.toContain('"level":50')
