import { setMaxListeners } from 'node:events'
import { sentence } from '#errors'
import type { DenoProcess, Ending } from './deno-process.ts'
import { type FetchProxy, proxyErrorSentence } from './fetch-proxy.ts'
import type { Message, Task } from './messages.ts'
import type { SandboxOutcome } from './sandbox.ts'

/** Deadline of a call, in milliseconds after its process receives the task. */
export const CLOCK_MS = 30_000
const PRINTED_CHARACTERS_MAX = 65_536
/** Maximum number of pending requests and waits of a call. */
const UNDER_WAY_MAX = 128

type Result =
  | { ok: true; output: unknown }
  | { ok: false; reason: (SandboxOutcome & { ok: false })['reason']; error: string }

export interface Call {
  process: DenoProcess
  task: Task
  reachHosts: FetchProxy
  clockMs: number
  signal: AbortSignal
}

/**
 * Sends the task to a process, serves the process's requests, and returns the outcome. Then ends the process. Rejects
 * only with the signal's reason.
 */
export function converse({ process, task, reachHosts, clockMs, signal }: Call): Promise<SandboxOutcome> {
  return new Promise((resolve, reject) => {
    const begin = performance.now()
    const ending = new AbortController()
    setMaxListeners(2 * UNDER_WAY_MAX, ending.signal)
    const printed = new Printed()
    let underWay = 0

    const stop = (): void => {
      clearTimeout(clock)
      signal.removeEventListener('abort', abort)
      ending.abort()
      process.follow(
        () => {},
        () => {},
      )
      process.end()
    }
    const settle = (result: Result): void => {
      stop()
      resolve({ printed: printed.text, ms: Math.round(performance.now() - begin), ...result })
    }
    const abort = (): void => {
      stop()
      reject(signal.reason)
    }
    const onMessage = (message: Message | null): void => {
      switch (message?.kind) {
        case 'printed':
          return printed.add(message.text)
        case 'dropped':
          return printed.drop(message.characters)
        case 'done':
          return settle({ ok: true, output: message.output })
        case 'failed':
          return settle({ ok: false, reason: message.reason, error: message.error })
        case 'fetch':
        case 'wait':
          if (++underWay > UNDER_WAY_MAX)
            return settle({ ok: false, reason: 'failed', error: sentence('sandbox.too_much_at_once') })
          return void answer(message).finally(() => underWay--)
      }
      settle({
        ok: false,
        reason: 'crashed',
        error: sentence('sandbox.not_understood'),
      })
    }
    const answer = async (message: Message & { kind: 'fetch' | 'wait' }): Promise<void> => {
      if (message.kind === 'wait') {
        await pause(message.milliseconds, ending.signal)
        if (!ending.signal.aborted) process.send({ kind: 'woke', id: message.id })
        return
      }
      const { id, request } = message
      const reached = await reachHosts(request, ending.signal).catch((error: unknown) => ({
        error: proxyErrorSentence(error, URL.parse(request.url)?.host ?? 'The server'),
      }))
      if (!ending.signal.aborted) process.send({ kind: 'fetched', id, ...reached })
    }
    const clock = setTimeout(() => settle(tooSlow(clockMs)), clockMs)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    process.follow(onMessage, (how) => settle(outcomeOf(how)))
    process.send(task)
  })
}

const tooSlow = (clockMs: number): Result => ({
  ok: false,
  reason: 'timeout',
  error: sentence('sandbox.timeout', { seconds: clockMs / 1000 }),
})

function outcomeOf({ isMemory, isFlood }: Ending): Result {
  if (isFlood) return { ok: false, reason: 'output', error: sentence('sandbox.output') }
  if (isMemory) return { ok: false, reason: 'memory', error: sentence('sandbox.memory') }
  return { ok: false, reason: 'crashed', error: sentence('sandbox.crashed') }
}

/** Collects printed text up to a limit. If text was dropped, the last line of `text` says how many characters. */
class Printed {
  #kept = ''
  #dropped = 0

  add(text: string): void {
    const charactersLeft = PRINTED_CHARACTERS_MAX - this.#kept.length
    this.#kept += text.slice(0, charactersLeft)
    this.#dropped += Math.max(0, text.length - charactersLeft)
  }

  drop(characters: number): void {
    this.#dropped += characters
  }

  get text(): string {
    if (this.#dropped === 0) return this.#kept
    return `${this.#kept}\n[${this.#dropped} more characters omitted]`
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
  })
}
