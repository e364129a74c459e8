import type { ConversationMessage } from '@parley/client/schemas'
import { MessagesSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Empty, More } from '../../ui/states.tsx'
import { turnsOf } from './group-turns.ts'
import { useModels } from './use-models.ts'
import type { LiveReply, Round } from './use-round.ts'

interface TurnsProps {
  messages: readonly ConversationMessage[]
  round: Round | null
  query: Parameters<typeof More>[0]['query']
  hasModels: boolean
}

/** All that was asked and answered, oldest first; what is being answered comes last. */
export function Turns({ messages, round, query, hasModels }: TurnsProps) {
  const { nameOf } = useModels()
  const turns = turnsOf(messages)
  if (turns.length === 0 && !round)
    return (
      <Empty icon={MessagesSquare} title="Nothing was asked yet">
        {hasModels
          ? 'Ask below. All models answer at the same time, and each sees the earlier questions and replies.'
          : 'Add a model below, or several to compare them.'}
      </Empty>
    )
  return (
    <div className="flex flex-col gap-8">
      <More query={query} />
      {turns.map(({ id, question, replies }) => (
        <Turn key={id} question={question} count={replies.length}>
          {replies.map((reply) => (
            <StoredReply key={reply.id} reply={reply} name={nameOf(reply.model_id)} />
          ))}
        </Turn>
      ))}
      {round && (
        <Turn question={round.question} count={round.replies.length} isNew>
          {round.replies.map((reply) => (
            <ReplyUnderWay key={reply.sessionId} reply={reply} name={nameOf(reply.modelId)} />
          ))}
        </Turn>
      )}
    </div>
  )
}

/** One below the other on a phone, else side by side. */
const Turn = ({
  question,
  count,
  isNew = false,
  children,
}: {
  question: string
  count: number
  isNew?: boolean
  children: ReactNode
}) => (
  <section
    aria-label={`Question: ${question.slice(0, 80)}`}
    ref={isNew ? scrollTo : null}
    className="flex scroll-mt-4 flex-col gap-3"
  >
    <p className="max-w-3xl self-start rounded-2xl bg-hover px-4 py-2.5 break-words whitespace-pre-wrap">
      {question}
    </p>
    <div
      className={classNames(
        'grid items-start gap-3',
        count > 1 && 'md:grid-cols-2',
        count > 2 && 'xl:grid-cols-3',
      )}
    >
      {children}
    </div>
  </section>
)

const scrollTo = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'start' })

function StoredReply({ reply, name }: { reply: ConversationMessage; name: string }) {
  const { content, status, error, usage } = reply
  return (
    <Reply
      name={name}
      foot={
        <>
          {status === 'stopped' && <Badge>Stopped</Badge>}
          {usage && <span>{formatNumber(usage.output_tokens)} tokens</span>}
          {content !== '' && status !== 'streaming' && (
            <CopyButton text={content} what={`Copy the reply of ${name}`} />
          )}
        </>
      }
    >
      {content !== '' && <ReplyText text={content} streaming={status === 'streaming'} />}
      {status === 'streaming' && content === '' && <p className="text-sm text-muted">Thinks</p>}
      {error && <p className="text-sm text-danger">{error}</p>}
    </Reply>
  )
}

const STATES = { waiting: 'Waiting', streaming: 'Answering', ended: null }

const ReplyUnderWay = ({ reply: { text, state }, name }: { reply: LiveReply; name: string }) => (
  <Reply name={name} foot={STATES[state] && <span role="status">{STATES[state]}</span>}>
    {text !== '' && <ReplyText text={text} streaming={state === 'streaming'} />}
  </Reply>
)

const Reply = ({ name, foot, children }: { name: string; foot: ReactNode; children: ReactNode }) => (
  <article
    aria-label={`Reply of ${name}`}
    className="flex min-w-0 flex-col gap-2 rounded-2xl border border-line bg-raised p-4"
  >
    <h2 className="truncate text-sm font-medium text-muted">{name}</h2>
    {children}
    <div className="flex min-h-7 items-center justify-between gap-3 text-xs text-muted">{foot}</div>
  </article>
)
