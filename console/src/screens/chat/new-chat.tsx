import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { MessageSquare } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useHere } from '../../shell/organization.tsx'
import { useActions } from './conversation-context.ts'
import { changeDraft } from './drafts.ts'
import { draftKeyOf } from './use-conversation.ts'

/** Before the first message. */
export function NewChat() {
  const { user, may } = useHere()
  const { models, agents, isReady } = useActions()
  usePrompt()
  return (
    <div className="flex min-h-0 grow flex-col items-center justify-center gap-3 overflow-y-auto p-6 text-center">
      <MessageSquare aria-hidden size={30} className="text-accent" />
      <h2 className="text-2xl font-semibold tracking-tight">What can I do for you, {user.first_name}?</h2>
      <p className="max-w-md text-muted">
        Ask a model or an agent. It can look into your knowledge bases and the files that you add.
      </p>
      {isReady && models.length === 0 && agents.length === 0 && (
        <p role="alert" className="max-w-md rounded-xl bg-warning-soft px-4 py-3 text-sm text-warning">
          There is no model to answer yet.{' '}
          {may('organization:write') ? (
            <Link to="/models" className="font-medium underline">
              Add one
            </Link>
          ) : (
            'Ask an administrator of the organization to add one.'
          )}
        </p>
      )}
    </div>
  )
}

/** `?prompt=` is sent once, as soon as it is known who answers. */
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
    // First, so that the address of the new chat is not the one that is left.
    void navigate({ to: '/chats', search: { prompt: undefined }, replace: true }).then(send)
  }, [prompt, isReady, mayWrite, draftKey, send, navigate])
}
