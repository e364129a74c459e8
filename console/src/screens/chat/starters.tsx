import { AlignLeft, Lightbulb, ListChecks, type LucideIcon, Mail, MessageCircleQuestion } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { classNames } from '../../ui/class-names.ts'
import { MESSAGE_FIELD } from './composer.tsx'
import { useActions, useConversationState } from './conversation-context.ts'
import { changeDraft, useDraft } from './drafts.ts'
import { draftKeyOf } from './use-conversation.ts'

const t = translator('chat')

type Starter = 'email' | 'explain' | 'plan' | 'summarize' | 'help'

const ICONS: Record<Starter, LucideIcon> = {
  email: Mail,
  summarize: AlignLeft,
  explain: Lightbulb,
  plan: ListChecks,
  help: MessageCircleQuestion,
}

/**
 * Beginnings of messages for a new chat. One click puts the text into the composer, where the user completes it.
 * Hidden while the composer contains text.
 */
export function Starters() {
  const draftKey = draftKeyOf(useHere(), null)
  const { text } = useDraft(draftKey)
  const starters = useStarters()
  const start = (name: Starter) => {
    changeDraft(draftKey, { text: t(`starters.${name}.text`) })
    document.getElementById(MESSAGE_FIELD)?.focus()
  }
  if (starters.length === 0) return null
  return (
    <ul
      aria-label={t('starters.label')}
      className={classNames(
        'mt-3 flex max-w-md flex-wrap items-center justify-center gap-2',
        text !== '' && 'invisible',
      )}
    >
      {starters.map((name) => {
        const Icon = ICONS[name]
        return (
          <li key={name}>
            <button
              type="button"
              onClick={() => start(name)}
              className="flex h-9 items-center gap-2 rounded-full border border-line bg-raised px-3.5 text-sm hover:bg-hover touch:h-10"
            >
              <Icon aria-hidden size={16} className="shrink-0 text-accent" />
              {t(`starters.${name}.label`)}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** Returns the starters that suit the chosen model or agent. Models that write no text have none. */
function useStarters(): readonly Starter[] {
  const { models, agents, isReady, mayWrite } = useActions()
  const { target } = useConversationState()
  if (!isReady || !mayWrite) return []
  if (agents.some(({ id }) => target === `agent ${id}`)) return ['help']
  const model = models.find(({ id }) => target === `model ${id}`)
  const writes = model?.config.capabilities?.includes('text') ?? model !== undefined
  return writes ? ['email', 'summarize', 'explain', 'plan'] : []
}
