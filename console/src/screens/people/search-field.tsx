import { useEffect, useRef, useState } from 'react'
import { TextField } from '../../ui/field.tsx'

const PAUSE_MS = 250

interface SearchFieldProps {
  label: string
  placeholder: string
  value: string
  onChange: (text: string) => void
}

/** A search field. Calls `onChange` when the user pauses typing. */
export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(typed.trim()), PAUSE_MS)
  }
  return (
    <div className="w-full sm:w-72">
      <TextField
        type="search"
        label={label}
        placeholder={placeholder}
        maxLength={200}
        value={text}
        onChange={({ target }) => type(target.value)}
      />
    </div>
  )
}
