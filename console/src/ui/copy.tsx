import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { translator } from '../messages/index.ts'
import { Button, IconButton } from './button.tsx'
import { copyText } from './copy-text.ts'

const t = translator('ui')

const DONE_MS = 2_000

/** A button that copies text. If `label` is given, the button shows the label instead of an icon. */
export function CopyButton({
  text,
  label,
  what = t('copy'),
}: {
  text: string
  label?: string
  what?: string
}) {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), DONE_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  const copy = () => void copyText(text).then(setDone)
  const icon = isDone ? Check : Copy
  if (label === undefined)
    return <IconButton small icon={icon} label={isDone ? t('copied') : what} onClick={copy} />
  return (
    <Button size="small" icon={icon} onClick={copy}>
      {isDone ? t('copied') : label}
    </Button>
  )
}

export const Snippet = ({ code, label }: { code: string; label: string }) => (
  <div className="relative rounded-xl border border-line bg-surface">
    <div className="absolute top-2 right-2">
      <CopyButton text={code} what={t('copyItem', { name: label })} />
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it too */}
    <pre tabIndex={0} role="group" aria-label={label} className="mr-10 overflow-x-auto p-3 font-mono text-sm">
      {code}
    </pre>
  </div>
)

/** A secret with a copy button and a warning that the secret is shown only once. */
export const SecretOnce = ({ secret }: { secret: string }) => (
  <div className="flex flex-col gap-2 rounded-xl bg-warning-soft p-4">
    <p className="text-sm text-warning">{t('secretOnce')}</p>
    <div className="flex items-center gap-2">
      <code className="min-w-0 grow font-mono text-sm break-all">{secret}</code>
      <CopyButton text={secret} label={t('copy')} />
    </div>
  </div>
)
