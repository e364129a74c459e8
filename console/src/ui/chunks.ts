import { waitForRetry } from '@parley/client'
import { useSyncExternalStore } from 'react'
import { askForBuild, type BuildState } from '../api/build.ts'
import { checkConnection } from '../api/connection.ts'
import { Listeners } from '../api/listeners.ts'

/**
 * Why a chunk is missing:
 * - `offline`, `unreachable`: the browser has no network, or the server does not respond. A retry can succeed later.
 * - `replaced`: the server now serves a different build. Only a reload helps.
 * - `broken`: the server still serves this build, but the browser cannot load the chunk.
 */
export type ChunkTrouble = 'offline' | 'unreachable' | 'replaced' | 'broken'

const WAIT_MIN_MS = 1_000
const WAIT_MAX_MS = 15_000
const MODULE_ADDRESS = /https?:\/\/[^\s?]+\.js/
/** Priorities if several chunks are missing for different reasons. The first reason in this list is shown. */
const ORDER = ['replaced', 'broken', 'unreachable', 'offline'] as const

const troubles = new Map<object, ChunkTrouble>()
const listeners = new Listeners()
const retries = new EventTarget()

/**
 * Loads a chunk and retries until it is loaded. `load` calls `import()` once. While the chunk is missing,
 * `useChunkTrouble` returns the reason. Rejects with the signal's reason when the signal aborts.
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
      // The first retry happens without a delay and without a notice, so users do not notice a short interruption.
      if (build === 'current' && tries === 0) continue
      report(key, troubleOf(build))
      if (build === 'unreachable') void checkConnection()
      await waitForRetry(Math.min(WAIT_MIN_MS * 2 ** tries, WAIT_MAX_MS), signal, retries)
    }
  } finally {
    report(key, null)
  }
}

/**
 * Imports a module again with a different query in its URL. Some browsers, such as Chromium, cache a failed import by
 * its URL until the page reloads. Rejects if the error contains no URL, as in Safari.
 */
async function importAgain<Chunk>(error: unknown, tries: number): Promise<Chunk> {
  const [address] = MODULE_ADDRESS.exec(String(error)) ?? []
  if (address === undefined || tries === 0) throw error
  return import(/* @vite-ignore */ `${address}?retry=${tries}`)
}

export const retryChunks = (): void => void retries.dispatchEvent(new Event('retry'))

/** Returns why a chunk is missing, or null if none is missing. */
export const useChunkTrouble = (): ChunkTrouble | null => useSyncExternalStore(listeners.subscribe, worst)

/**
 * Removes links to style sheets and preloads that failed to load. Vite treats every existing `link` as loaded, so a
 * retried chunk would otherwise appear without its styles.
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
  listeners.notify()
}
