import { startTransition, useEffect, useState } from 'react'

/** A large module that loads on first use. After a failure the next use loads it again. */
export class Late<Value> {
  readonly #load: () => Promise<Value>
  #loading: Promise<void> | null = null
  #value: Value | null = null

  constructor(load: () => Promise<Value>) {
    this.#load = load
  }

  /** Null until it is loaded. */
  get value(): Value | null {
    return this.#value
  }

  /** Never rejects. */
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
 * Returns the loaded value, or null until it is loaded and while `isWanted` is false. Renders in a transition when it
 * arrives, so that the page stays responsive.
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
