import { useRouter } from '@tanstack/react-router'
import { ArrowUp } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { isEnter } from '../../ui/keys.tsx'

const t = translator('home')

export function AskBox() {
  const { organization } = useHere()
  const { history } = useRouter()
  const [text, setText] = useState('')
  const ask = (event?: FormEvent) => {
    event?.preventDefault()
    const prompt = text.trim()
    // The chat screen sends the URL's `prompt` parameter as a message, once.
    if (prompt !== '') history.push(`/chats?${new URLSearchParams({ org_id: organization.id, prompt })}`)
  }
  const press = (event: KeyboardEvent) => {
    if (!isEnter(event)) return
    event.preventDefault()
    ask()
  }
  return (
    <form
      onSubmit={ask}
      className="flex flex-col rounded-2xl border border-line-strong/60 bg-raised shadow-sm focus-within:border-accent"
    >
      <textarea
        aria-label={t('ask.label')}
        placeholder={t('ask.label')}
        // biome-ignore lint/a11y/noAutofocus: the main control, and nothing precedes it
        autoFocus
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        className="field-sizing-content max-h-64 min-h-16 w-full resize-none bg-transparent px-4 pt-3.5 text-base outline-none"
      />
      <div className="flex items-center justify-between gap-3 px-3 pb-3">
        <p className="hidden px-1 text-xs text-muted sm:block">{t('ask.keys')}</p>
        <Button type="submit" kind="primary" icon={ArrowUp} disabled={text.trim() === ''} className="ml-auto">
          {t('ask.send')}
        </Button>
      </div>
    </form>
  )
}
