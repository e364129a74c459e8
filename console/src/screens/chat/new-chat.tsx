import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { MessageSquare } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useActions } from './conversation-context.ts'
import { changeDraft } from './drafts.ts'
import { Starters } from './starters.tsx'
import { draftKeyOf } from './use-conversation.ts'

const t = translator('chat')

export function NewChat() {
  const { user, may } = useHere()
  const { models, agents, isReady } = useActions()
  usePrompt()
  return (
    <div className="flex min-h-0 grow flex-col items-center justify-center gap-3 overflow-y-auto p-6 text-center">
      <MessageSquare aria-hidden size={30} className="text-accent" />
      <h2 className="text-2xl font-semibold tracking-tight">
        {t('welcome.title', { name: user.first_name })}
      </h2>
      <p className="max-w-md text-muted">{t('welcome.hint')}</p>
      <Starters />
      {isReady && models.length === 0 && agents.length === 0 && (
        <p role="alert" className="max-w-md rounded-xl bg-warning-soft px-4 py-3 text-sm text-warning">
          {may('organization:write')
            ? t.rich('welcome.addModel', {
                link: (text) => (
                  <Link to="/models" className="font-medium underline">
                    {text}
                  </Link>
                ),
              })
            : t('welcome.askForModel')}
        </p>
      )}
    </div>
  )
}

/** Sends the URL's `prompt` parameter as a message, once, as soon as models and agents are loaded. */
function usePrompt(): void {
  const draftKey = draftKeyOf(useHere(), null)
  const { prompt } = useSearch({ from: '/app/chats' })
  const { send, isReady, mayWrite } = useActions()
  const navigate = useNavigate()
  const sent = useRef(false)
  useEffect(() => {
    if (prompt === undefined || !isReady || !mayWrite || sent.current) return
    sent.current = true
    changeDraft(draftKey, { text: prompt })
    // Remove `prompt` from the URL first, because `send` navigates to the new chat's URL.
    void navigate({ to: '/chats', search: { prompt: undefined }, replace: true }).then(send)
  }, [prompt, isReady, mayWrite, draftKey, send, navigate])
}
