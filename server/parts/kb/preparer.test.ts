import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPreparer } from './preparer.ts'

const GIVEN = {
  texts: [{ name: 'a.md', text: 'We open at nine.', kind: 'markdown' as const }],
  chunking: { max_tokens: 400, overlap_tokens: 50 },
  isLocal: true,
}

test('a task added while an idle thread ends is completed', async () => {
  const preparer = createPreparer({ idleMs: 0 })
  try {
    for (let waitMs = 0; waitMs < 8; waitMs++) {
      const { texts } = await preparer.prepare(GIVEN)
      expect(texts).toMatchObject([{ chunks: [{ content: 'We open at nine.' }], language: 'english' }])
      await sleep(waitMs)
    }
  } finally {
    await preparer.close()
  }
})

test('close rejects pending tasks', async () => {
  const preparer = createPreparer()
  const asked = preparer.prepare(GIVEN)
  const told = expect(asked).rejects.toThrow('ended')
  await preparer.close()
  await told
})
