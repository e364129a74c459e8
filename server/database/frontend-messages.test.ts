import { expect, test } from 'vitest'
import { createRandom } from '#tests/support/random.ts'
import { FrontendMessages } from './frontend-messages.ts'

const START = Buffer.concat([bigEndian(12), bigEndian(196_608), Buffer.from('a\0\0\0')])
const TERMINATE = message('X', 0)

function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function message(type: string, size: number): Buffer {
  return Buffer.concat([Buffer.from(type), bigEndian(size + 4), Buffer.alloc(size, type)])
}

function groupsOf(chunks: Buffer[]) {
  const messages = new FrontendMessages()
  const groups = chunks.flatMap((chunk) => messages.add(chunk))
  return { groups, isOver: messages.isOver }
}

test('however the bytes are split, the messages are whole and in order', () => {
  const random = createRandom(7)
  const below = (limit: number): number => Math.floor(random() * limit)
  const sent = Array.from({ length: 60 }, () =>
    message('PBDES'[below(5)] as string, below(below(4) === 0 ? 5_000 : 20)),
  )
  const bytes = Buffer.concat([START, ...sent, TERMINATE])
  for (let run = 0; run < 30; run++) {
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      const next = at + 1 + below(run % 2 === 0 ? 9 : 3_000)
      chunks.push(bytes.subarray(at, next))
      at = next
    }
    const { groups, isOver } = groupsOf(chunks)
    expect(isOver).toBe(true)
    expect(groups[0]).toEqual({ bytes: START, isComplete: true })
    expect(Buffer.concat(groups.map((group) => group.bytes))).toEqual(Buffer.concat([START, ...sent]))
    for (const group of groups.slice(1)) expect(endsOf(sent)).toContain(lengthUpTo(groups, group))
  }
})

/** Returns the positions in the stream at which a message ends. */
function endsOf(sent: Buffer[]): number[] {
  let end = START.length
  return sent.map((one) => {
    end += one.length
    return end
  })
}

function lengthUpTo(groups: { bytes: Uint8Array }[], last: { bytes: Uint8Array }): number {
  return groups.slice(0, groups.indexOf(last) + 1).reduce((sum, { bytes }) => sum + bytes.length, 0)
}

test.each([
  ['Sync', 'S', true],
  ['a query', 'Q', true],
  ['Flush', 'H', false],
  ['Execute', 'E', false],
])('a group that ends with %s', (_name, type, isComplete) => {
  const { groups } = groupsOf([START, Buffer.concat([message('B', 3), message(type, 2)])])
  expect(groups.map((group) => group.isComplete)).toEqual([true, isComplete])
})

test.each([
  ['a request for TLS', Buffer.concat([bigEndian(8), bigEndian(80_877_103)])],
  ['a first message of no length', bigEndian(0)],
  ['a later message of no length', Buffer.concat([START, Buffer.from('Q'), bigEndian(0)])],
])('%s ends the connection', (_name, bytes) => {
  const { groups, isOver } = groupsOf([bytes])
  expect(isOver).toBe(true)
  expect(groups.map((group) => group.bytes)).toEqual(bytes.includes('Q') ? [START] : [])
})
