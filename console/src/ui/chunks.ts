import { waitForRetry } from '@parley/client'
import { useSyncExternalStore } from 'react'
import { askForBuild, type BuildState } from '../api/build.ts'

/**
 * Why a chunk that the page waits for is missing:
 * - `offline`, `unreachable`: the browser has no network, or the server doesn't answer. The chunk loads when it does.
 * - `replaced`: the server serves another build, and only that one. Only a reload helps.
 * - `broken`: the server serves this build, but the browser cannot load the chunk.
 */
export type ChunkTrouble = 'offline' | 'unreachable' | 'replaced' | 'broken'

const WAIT_MIN_MS = 1_000
const WAIT_MAX_MS = 15_000
const MODULE_ADDRESS = /https?:\/\/[^\s?]+\.js/
/** The order of troubles if several chunks are missing: the first one is shown. */
const ORDER = ['replaced', 'broken', 'unreachable', 'offline'] as const

const troubles = new Map<object, ChunkTrouble>()
const listeners = new Set<() => void>()
const retries = new EventTarget()

/**
 * Loads a chunk that the page needs, and retries until it succeeds. `load` is one `import()`. Meanwhile `useChunkTrouble`
 * returns why the chunk is missing. Rejects with the signal's reason when it aborts.
 */
export async function loadChunk<Chunk>(
  load: () => Promise<Chunk>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Chunk> {
  const key = {}
  try {
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted()
      const chunk = await load()
        .catch((error: unknown) => importAgain<Chunk>(error, tries))
        .catch(() => null)
      if (chunk !== null) return chunk
      const build = await askForBuild(signal)
      signal.throwIfAborted()
      // The first retry is silent, so a short interruption stays invisible.
      if (build === 'current' && tries === 0) continue
      report(key, troubleOf(build))
      await waitForRetry(Math.min(WAIT_MIN_MS * 2 ** tries, WAIT_MAX_MS), signal, retries)
    }
  } finally {
    report(key, null)
  }
}

/**
 * Some browsers, such as Chromium, cache the failure of a module by its URL until the page reloads. A different query makes
 * a new URL for the same file. Rejects if the error contains no URL, as in Safari.
 */
async function importAgain<Chunk>(error: unknown, tries: number): Promise<Chunk> {
  const [address] = MODULE_ADDRESS.exec(String(error)) ?? []
  if (address === undefined || tries === 0) throw error
  return import(/* @vite-ignore */ `${address}?retry=${tries}`)
}

/** Retries all missing chunks immediately. */
export const retryChunks = (): void => void retries.dispatchEvent(new Event('retry'))

/** Returns why the page waits for a chunk; null if it doesn't. */
export const useChunkTrouble = (): ChunkTrouble | null => useSyncExternalStore(subscribe, worst)

/**
 * Removes failed style sheets and preloads from the page. Vite treats every existing `link` as loaded and would show a
 * retried chunk without its styles.
 */
export function removeFailedLinks(): void {
  const remove = ({ target }: Event): void => {
    if (target instanceof HTMLLinkElement) target.remove()
  }
  document.addEventListener('error', remove, { capture: true })
}

function troubleOf(build: BuildState): ChunkTrouble {
  if (build === 'unreachable') return navigator.onLine ? 'unreachable' : 'offline'
  return build === 'replaced' ? 'replaced' : 'broken'
}

const worst = (): ChunkTrouble | null => {
  const present = new Set(troubles.values())
  return ORDER.find((trouble) => present.has(trouble)) ?? null
}

function report(key: object, trouble: ChunkTrouble | null): void {
  if (trouble === null) troubles.delete(key)
  else troubles.set(key, trouble)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
