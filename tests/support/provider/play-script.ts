import type { ServerResponse } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import type { Script } from './formats.ts'

const LONG_LINE_BYTES = 100_000_000

/** Streams a script to a client with the timing and the faults of a behavior. */
export function playScript(
  response: ServerResponse,
  behaviour: Behaviour,
  write: () => Script,
  stats: { streams: number; open: number; aborted: number },
): void {
  stats.streams += 1
  stats.open += 1
  let timer: NodeJS.Timeout | undefined
  let finished = false
  response.on('close', () => {
    stats.open -= 1
    if (!finished) stats.aborted += 1
    clearTimeout(timer)
  })
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  response.flushHeaders()
  if (behaviour.fault === 'hang') return

  const script = write()
  const { head, body, tail } = script
  const half = body.length >> 1
  const end = (): void => {
    finished = true
    response.end(behaviour.fault === 'fin' ? '' : tail.join(''))
  }
  const begin = (): void => {
    response.write(head.join(''))
    if (behaviour.gapMs > 0) return next(0, performance.now())
    if (behaviour.fault === undefined) {
      response.write(body.join(''))
      return end()
    }
    response.write(body.slice(0, half).join(''))
    if (breakHere(response, behaviour, script)) {
      finished = behaviour.fault === 'errmid'
      return
    }
    response.write(body.slice(half).join(''))
    end()
  }
  const next = (index: number, began: number): void => {
    if (response.destroyed) return
    if (index === half && breakHere(response, behaviour, script)) return
    if (index === body.length) return end()
    response.write(body[index])
    timer = setTimeout(
      next,
      Math.max(0, began + (index + 1) * behaviour.gapMs - performance.now()),
      index + 1,
      began,
    )
  }
  if (behaviour.firstTokenMs > 0) timer = setTimeout(begin, behaviour.firstTokenMs)
  else begin()
}

/** Applies a fault in the middle of a stream. Returns true if the fault ends the stream. */
function breakHere(response: ServerResponse, { fault }: Behaviour, script: Script): boolean {
  switch (fault) {
    case 'cut':
      setTimeout(() => response.socket?.destroy(), 20)
      return true
    case 'errmid':
      response.end(script.errorEvent)
      return true
    case 'hangmid':
      return true
    case 'badjson':
      response.write('data: {"choices": [oops\n\n')
      return false
    case 'longline':
      writeLongLine(response)
      return true
    default:
      return false
  }
}

function writeLongLine(response: ServerResponse): void {
  const chunk = Buffer.alloc(1_000_000, 'x')
  let written = 0
  response.write('data: ')
  const more = (): void => {
    while (written < LONG_LINE_BYTES && !response.destroyed) {
      written += chunk.length
      if (!response.write(chunk)) return void response.once('drain', more)
    }
    response.end('\n\n')
  }
  more()
}
