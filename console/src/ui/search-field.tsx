import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 250

interface SearchFieldProps {
  /** The accessible name. */
  label: string
  placeholder: string
  /** The search of the URL. */
  value: string
  /** Called with the trimmed text when the user pauses typing. */
  onChange: (text: string) => void
}

/** A search field. Its text follows the URL, for example when the user goes back. */
export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const reported = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    // The URL repeats what this field reported. The user may have typed more since.
    if (value === reported.current) return
    clearTimeout(timer.current)
    reported.current = value
    setText(value)
  }, [value])
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      reported.current = typed.trim()
      onChange(reported.current)
    }, PAUSE_MS)
  }
  return (
    <search className="relative w-full sm:w-72">
      <Search aria-hidden size={16} className="absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={200}
        value={text}
        onChange={({ target }) => type(target.value)}
        className="h-9 w-full rounded-lg border border-line-strong/60 bg-raised pr-3 pl-9 touch:h-10"
      />
    </search>
  )
}
