import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { copyText } from './copy-text.ts'
import { t } from './text.ts'

const COPIED_MS = 2_000

export function CodeBlock({ text, language }: { text: string; language: string }): VNode {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const clock = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(clock)
  }, [isCopied])
  return (
    <div class="code">
      <div>
        <span>{language}</span>
        <button type="button" class="copy" onClick={async () => setCopied(await copyText(text))}>
          {isCopied ? t('copied') : t('copy')}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll wide code too */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
