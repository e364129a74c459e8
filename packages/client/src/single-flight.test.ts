import { expect, test } from 'vitest'
import { singleFlight } from './single-flight.ts'

test('concurrent calls share one run; a later call runs again, also after a failure', async () => {
  let calls = 0
  const once = singleFlight(async () => {
    calls += 1
    await Promise.resolve()
    if (calls === 1) throw new Error('away')
    return calls
  })
  await expect(Promise.all([once(), once()])).rejects.toThrow('away')
  expect(await Promise.all([once(), once(), once()])).toEqual([2, 2, 2])
  expect(await once()).toBe(3)
})
