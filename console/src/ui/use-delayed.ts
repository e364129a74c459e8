import { useEffect, useState } from 'react'

/** Returns `value` after it has stayed the same for `ms` milliseconds. Until then, returns the previous value. */
export function useDelayed<Value>(value: Value, ms: number): Value {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return delayed
}
