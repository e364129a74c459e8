import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { copyText } from './copy-text.ts'

const DONE_MS = 2_000

/** Copies a text. `label`: with a word on the button, else an icon. */
export function CopyButton({ text, label, what = 'Copy' }: { text: string; label?: string; what?: string }) {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), DONE_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  const copy = () => void copyText(text).then(setDone)
  const icon = isDone ? Check : Copy
  if (label === undefined)
    return <IconButton small icon={icon} label={isDone ? 'Copied' : what} onClick={copy} />
  return (
    <Button size="small" icon={icon} onClick={copy}>
      {isDone ? 'Copied' : label}
    </Button>
  )
}

/** A piece of code to take along. */
export const Snippet = ({ code, label }: { code: string; label: string }) => (
  <div className="relative rounded-xl border border-line bg-surface">
    <div className="absolute top-2 right-2">
      <CopyButton text={code} what={`Copy ${label}`} />
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
    <pre tabIndex={0} role="group" aria-label={label} className="mr-10 overflow-x-auto p-3 font-mono text-sm">
      {code}
    </pre>
  </div>
)

/** A secret that is shown this once. */
export const SecretOnce = ({ secret, what }: { secret: string; what: string }) => (
  <div className="flex flex-col gap-2 rounded-xl bg-warning-soft p-4">
    <p className="text-sm text-warning">
      This is the only time that {what} is shown. Keep it somewhere safe.
    </p>
    <div className="flex items-center gap-2">
      <code className="min-w-0 grow font-mono text-sm break-all">{secret}</code>
      <CopyButton text={secret} label="Copy" />
    </div>
  </div>
)
