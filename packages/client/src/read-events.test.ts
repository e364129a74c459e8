import { expect, test } from 'vitest'
import { readEvents } from './read-events.ts'

const never = new AbortController().signal

const responseOf = (pieces: string[], end: 'closed' | 'broken' | 'open' = 'closed') =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
        if (end === 'closed') controller.close()
      },
      pull(controller) {
        if (end === 'broken') controller.error(new TypeError('terminated'))
      },
    }),
  )

async function collect(response: Response, signal = never): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const { id, event, data } of readEvents(response, signal)) events.push([id, event, data])
  return events
}

test('events keep their ids and names, however the stream is chunked', async () => {
  const text =
    ': hello\n\nid: 1\ndata: {"message":"é"}\n\nevent: meta\nid: 2\ndata: x\ndata: y\n\nid: 3\ndata: unfinished'
  const expected = [
    ['1', undefined, '{"message":"é"}'],
    ['2', 'meta', 'x\ny'],
  ]
  expect(await collect(responseOf([text]))).toEqual(expected)
  expect(await collect(responseOf([...text]))).toEqual(expected)
  expect(await collect(new Response(null))).toEqual([])
})

test('a broken stream throws stream.lost after the events it delivered', async () => {
  const events: unknown[] = []
  const reading = async () => {
    for await (const { id } of readEvents(responseOf(['id: 1\ndata: a\n\n'], 'broken'), never))
      events.push(id)
  }
  await expect(reading()).rejects.toMatchObject({ code: 'stream.lost' })
  expect(events).toEqual(['1'])
})

test('an event that never ends throws stream.lost', async () => {
  const megabyte = 'x'.repeat(1_000_000)
  await expect(collect(responseOf(['data: ', ...Array(9).fill(megabyte)]))).rejects.toMatchObject({
    code: 'stream.lost',
  })
})

test('an abort ends the stream, while it is idle and between two events', async () => {
  const leaving = new AbortController()
  const reading = collect(responseOf(['id: 1\ndata: a\n\n'], 'open'), leaving.signal)
  setTimeout(() => leaving.abort())
  expect(await reading).toHaveLength(1)

  const again = new AbortController()
  const ids: unknown[] = []
  for await (const { id } of readEvents(responseOf(['id: 1\ndata: a\n\nid: 2\ndata: b\n\n']), again.signal)) {
    ids.push(id)
    again.abort()
  }
  expect(ids).toEqual(['1'])
})
