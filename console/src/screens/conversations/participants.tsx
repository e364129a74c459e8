import type { ConversationSession, ConversationWithSessions } from '@parley/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import type { Choice } from '../../ui/choices.ts'
import { classNames } from '../../ui/class-names.ts'
import { Picker } from '../../ui/picker.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useModelList, useModelNames } from './use-models.ts'

const t = translator('conversations')

/** Returns the models to ask: the conversation's models except those that the URL excludes. */
export function useParticipants(sessions: readonly ConversationSession[]) {
  const { without = [] } = useSearch({ from: '/app/conversations/$conversationId' })
  const navigate = useNavigate()
  const asked = sessions.filter(({ id }) => !without.includes(id))
  const toggle = (id: string) => {
    const left = without.includes(id) ? without.filter((one) => one !== id) : [...without, id]
    void navigate({
      to: '.',
      search: ({ org_id }) => ({ org_id, ...(left.length > 0 && { without: left }) }),
      replace: true,
    })
  }
  return { asked, toggle }
}

interface ParticipantsProps {
  conversation: ConversationWithSessions
  asked: readonly ConversationSession[]
  onToggle: (sessionId: string) => void
}

/** Toggle buttons for the conversation's models, and a picker that adds models. */
export function Participants({ conversation: { id, sessions }, asked, onToggle }: ParticipantsProps) {
  const { organization } = useHere()
  const models = sessions.map(({ model_id }) => model_id)
  const list = useModelList(models)
  const nameOf = useModelNames(models)
  const notify = useNotify()
  const join = useChange('POST /api/conversation/create_session', {
    outdates: ['GET /api/conversation/get_with_sessions'],
  })
  const add = ([model]: Choice[]) => {
    if (model === undefined) return
    const query = { org_id: organization.id }
    join.mutate({ query, body: { conversation_id: id, model_id: model.id } }, { onError: notify })
  }
  return (
    <div
      role="group"
      aria-label={t('models.label')}
      className="-my-1 flex items-center gap-2 overflow-x-auto py-1 sm:flex-wrap"
    >
      {sessions.map((session) => {
        const isAsked = asked.includes(session)
        return (
          <button
            key={session.id}
            type="button"
            aria-pressed={isAsked}
            title={isAsked ? t('models.exclude') : t('models.include')}
            onClick={() => onToggle(session.id)}
            className={classNames(
              'inline-flex h-8 touch:h-10 max-w-full shrink-0 items-center rounded-full border px-3 text-sm',
              isAsked
                ? 'border-accent bg-accent-soft text-accent'
                : 'border-line text-muted line-through hover:bg-hover',
            )}
          >
            <span className="truncate">{nameOf(session.model_id)}</span>
          </button>
        )
      })}
      <div className="shrink-0">
        <Picker
          label={t('models.add')}
          lists={[list]}
          chosen={[]}
          onChange={add}
          disabled={join.isPending}
          empty={t('models.none')}
        >
          <span className="inline-flex items-center gap-1.5">
            <Plus aria-hidden size={14} /> {t('models.add')}
          </span>
        </Picker>
      </div>
    </div>
  )
}
