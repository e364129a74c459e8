import { startTransition, useEffect, useState } from 'react'

/** Something large that is loaded when it is first wanted. Where that fails, it is tried again when it is wanted again. */
export class Late<Value> {
  readonly #load: () => Promise<Value>
  #loading: Promise<void> | null = null
  #value: Value | null = null

  constructor(load: () => Promise<Value>) {
    this.#load = load
  }

  /** Null: it is not loaded yet. */
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
 * What is loaded late, when it is there; null before, and where it is not wanted. All that waits for it is drawn again bit by
 * bit, so that nothing else has to wait for that.
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
