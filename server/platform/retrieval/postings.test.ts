import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frequencyOf, lengthOf, mergePostings, readPostings, SegmentBuilder } from './postings.ts'

type Postings = Map<number, { frequency: number; length: number }>

/** Encodes postings independently of the code under test. */
function write(postings: Postings): Buffer {
  const bytes = Buffer.alloc(postings.size * 8)
  const sorted = [...postings].sort(([a], [b]) => a - b)
  for (const [at, [number, { frequency, length }]] of sorted.entries()) {
    bytes.writeUInt32LE(number, at * 8)
    bytes.writeUInt16LE(frequency, at * 8 + 4)
    bytes.writeUInt16LE(length, at * 8 + 6)
  }
  return bytes
}

function read(bytes: Uint8Array): Postings {
  const view = readPostings(bytes)
  const numbers = Array.from({ length: view.length / 2 }, (_, at) => view[at * 2] as number)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  return new Map(
    numbers.map((number, at) => {
      const counts = view[at * 2 + 1] as number
      return [number, { frequency: frequencyOf(counts), length: lengthOf(counts) }]
    }),
  )
}

const count = fc.integer({ min: 0, max: 0xffff })
const postings = fc
  .array(
    fc.tuple(
      fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 0xffff_ffff })),
      fc.record({ frequency: count, length: count }),
    ),
  )
  .map((list): Postings => new Map(list))

test('postings are read as written, at any byte offset', () => {
  fc.assert(
    fc.property(postings, fc.integer({ min: 0, max: 7 }), (given, offset) => {
      const bytes = write(given)
      const moved = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset)
      expect(read(bytes)).toEqual(new Map([...given].sort(([a], [b]) => a - b)))
      expect(read(moved)).toEqual(read(bytes))
    }),
  )
  expect(() => readPostings(Buffer.alloc(12))).toThrow(RangeError)
})

test('merged segments keep live chunks, and the later of equal numbers', () => {
  fc.assert(
    fc.property(fc.array(postings, { maxLength: 9 }), fc.integer({ min: 1, max: 5 }), (segments, divisor) => {
      const isAlive = (number: number): boolean => number % divisor !== 1
      const model = new Map(segments.flatMap((segment) => [...segment]).filter(([number]) => isAlive(number)))
      const merged = read(mergePostings(segments.map(write), isAlive))
      expect(merged).toEqual(new Map([...model].sort(([a], [b]) => a - b)))
    }),
  )
})

describe('a segment', () => {
  const stem = (word: string): string | null => (word === 'the' ? null : word.replace(/s$/, ''))
  const terms = { stem, variant: (word: string) => (word === 'é' ? 'e' : null) }

  test('has a row per term with the chunks that contain it', () => {
    const word = fc.constantFrom('the', 'cat', 'cats', 'dog', 'hare', 'hares', 'é', '漢', '__proto__')
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 30 }), { maxLength: 12 }), (chunks) => {
        const builder = new SegmentBuilder()
        const model = new Map<string, Postings>()
        for (const [index, words] of chunks.entries()) {
          const stems = words.map(stem).filter((term) => term !== null)
          const all = [...stems, ...words.map(terms.variant).filter((term) => term !== null)]
          expect(builder.add(index * 3 + 1, words, terms)).toBe(stems.length)
          for (const term of all) {
            const held = model.get(term) ?? new Map()
            const frequency = all.filter((other) => other === term).length
            model.set(term, held.set(index * 3 + 1, { frequency, length: stems.length }))
          }
        }
        const entries = builder.entries()
        expect(entries.map(({ term }) => term)).toEqual([...model.keys()].sort())
        for (const { term, postings } of entries) expect(read(postings)).toEqual(model.get(term))
      }),
    )
  })

  test('clamps counts to the largest storable number', () => {
    const builder = new SegmentBuilder()
    expect(builder.add(0xffff_ffff, Array(70_000).fill('cat'), terms)).toBe(70_000)
    const [entry] = builder.entries()
    expect(read(entry?.postings ?? Buffer.alloc(0))).toEqual(
      new Map([[0xffff_ffff, { frequency: 0xffff, length: 0xffff }]]),
    )
  })

  test('accepts chunks only in ascending order', () => {
    const builder = new SegmentBuilder()
    builder.add(5, [], terms)
    for (const number of [5, 4, -1, 5.5, 2 ** 32, Number.NaN])
      expect(() => builder.add(number, [], terms)).toThrow(RangeError)
  })
})
