import { startTransition, useEffect, useState } from 'react'

/** A large module that loads on first use. If loading fails, the next use tries again. */
export class Late<Value> {
  readonly #load: () => Promise<Value>
  #loading: Promise<void> | null = null
  #value: Value | null = null

  constructor(load: () => Promise<Value>) {
    this.#load = load
  }

  /** The loaded value, or null before it is loaded. */
  get value(): Value | null {
    return this.#value
  }

  /** Loads the value unless it is loaded or loading. Never rejects. */
  load(): Promise<void> {
    this.#loading ??= this.#load().then(
      (value) => {
        this.#value = value
      },
      () => {
        this.#loading = null
      },
    )
    return this.#loading
  }
}

/**
 * Loads a value and returns it. Returns null until the value is loaded, and whenever `isWanted` is false. The loaded
 * value renders in a transition, so that the page stays responsive.
 */
export function useLate<Value>(late: Late<Value>, isWanted: boolean): Value | null {
  const [, setLoaded] = useState(false)
  const isMissing = isWanted && late.value === null
  useEffect(() => {
    if (!isMissing) return
    let isGone = false
    void late.load().then(() => {
      if (!isGone) startTransition(() => setLoaded(true))
    })
    return () => {
      isGone = true
    }
  }, [late, isMissing])
  return isWanted ? late.value : null
}
