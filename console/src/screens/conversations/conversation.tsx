import type { ConversationWithSessions } from '@parley/client/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { knownName } from '../../api/known-name.ts'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Back } from '../../ui/back.tsx'
import { Page } from '../../ui/page.tsx'
import { PendingPage } from '../../ui/pending-page.tsx'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { AskForm } from './ask-form.tsx'
import { ConversationMenu } from './conversation-menu.tsx'
import { messagePages } from './message-pages.ts'
import { Participants, useParticipants } from './participants.tsx'
import { Refusals } from './refusals.tsx'
import { Turns } from './turns.tsx'
import { useRound } from './use-round.ts'

const t = translator('conversations')

/** A conversation: several models reply to the same questions. */
export function Conversation() {
  const { conversationId } = useParams({ from: '/app/conversations/$conversationId' })
  const { organization } = useHere()
  const conversation = useQuery(
    read('GET /api/conversation/get_with_sessions', {
      org_id: organization.id,
      conversation_id: conversationId,
    }),
  )
  return conversation.data ? (
    <Open key={conversation.data.id} conversation={conversation.data} />
  ) : (
    <PendingPage
      query={conversation}
      name={knownName('GET /api/conversation/list', conversationId)}
      kind={t('conversation')}
      above={<ToConversations />}
      wide
      skeleton={<TurnSkeleton />}
    />
  )
}

const ToConversations = () => <Back to="/conversations">{t('title')}</Back>

function Open({ conversation }: { conversation: ConversationWithSessions }) {
  const { organization, may } = useHere()
  const navigate = useNavigate()
  const messages = useInfiniteQuery(messagePages(organization.id, conversation.id))
  const { round, refusals, ask, leave } = useRound(organization.id)
  const { asked, toggle } = useParticipants(conversation.sessions)
  const isUnderWay = round !== null || messages.data?.some(({ status }) => status === 'streaming') === true
  return (
    <Page
      title={conversation.title}
      wide
      above={<ToConversations />}
      actions={
        <ConversationMenu
          conversation={conversation}
          onDeleted={() => void navigate({ to: '/conversations' })}
        />
      }
    >
      <Loaded query={messages} skeleton={<TurnSkeleton />}>
        {(all) => <Turns messages={all} round={round} query={messages} hasModels={asked.length > 0} />}
      </Loaded>
      {may('conversation:write') && (
        <div className="sticky bottom-0 flex flex-col gap-3 bg-canvas pt-2 pb-4">
          <Refusals refusals={refusals} />
          <Participants conversation={conversation} asked={asked} onToggle={toggle} />
          <AskForm
            conversationId={conversation.id}
            isUnderWay={isUnderWay}
            canAsk={asked.length > 0}
            onAsk={(question) => ask(question, asked)}
            onStop={leave}
          />
        </div>
      )}
    </Page>
  )
}

/** A placeholder for a question and the replies next to each other. */
const TurnSkeleton = () => (
  <div role="status" aria-label={t('loading')} className="flex flex-col gap-3">
    <Skeleton className="h-11 w-2/3 max-w-lg" />
    <div className="grid gap-3 sm:grid-cols-3">
      <Skeleton className="h-48" />
      <Skeleton className="h-48 max-sm:hidden" />
      <Skeleton className="h-48 max-sm:hidden" />
    </div>
  </div>
)
