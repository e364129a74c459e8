import type { ConversationMessage } from '@parley/client/schemas'
import { MessagesSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { earlyEndText } from '../../ui/early-end.ts'
import { failureText } from '../../ui/error-text.ts'
import { Empty, More } from '../../ui/states.tsx'
import { turnsOf } from './group-turns.ts'
import { useModelNames } from './use-models.ts'
import type { LiveReply, Round } from './use-round.ts'

const t = translator('conversations')

interface TurnsProps {
  messages: readonly ConversationMessage[]
  round: Round | null
  query: Parameters<typeof More>[0]['query']
  hasModels: boolean
}

/** All turns, oldest first, with the turn in progress at the end. */
export function Turns({ messages, round, query, hasModels }: TurnsProps) {
  const nameOf = useModelNames([
    ...messages.map(({ model_id }) => model_id),
    ...(round?.replies ?? []).map(({ modelId }) => modelId),
  ])
  // The list may have been read after a reply of the round had started.
  const underWay = new Set(round?.replies.map(({ messageId }) => messageId))
  const turns = turnsOf(messages.filter(({ id }) => !underWay.has(id)))
  if (turns.length === 0 && !round)
    return (
      <Empty icon={MessagesSquare} title={t('turns.empty')}>
        {hasModels ? t('turns.askBelow') : t('turns.addModels')}
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
    aria-label={t('turns.label', { question: question.slice(0, 80) })}
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
  const { content, status, error, error_code: code, error_values: values, usage } = reply
  const earlyEnd = earlyEndText(reply.finish_reason)
  return (
    <Reply
      name={name}
      foot={
        <>
          {status === 'stopped' && <Badge>{t('turns.stopped')}</Badge>}
          {usage && <span>{t('turns.tokens', { count: usage.output_tokens })}</span>}
          {content !== '' && status !== 'streaming' && (
            <CopyButton text={content} what={t('turns.copy', { name })} />
          )}
        </>
      }
    >
      {content !== '' && <ReplyText text={content} streaming={status === 'streaming'} />}
      {status === 'streaming' && content === '' && (
        <p className="text-sm text-muted">{t('turns.thinking')}</p>
      )}
      {earlyEnd && <p className="text-sm text-muted">{earlyEnd}</p>}
      {error && <p className="text-sm text-danger">{failureText(error, code, values)}</p>}
    </Reply>
  )
}

const ReplyUnderWay = ({ reply: { text, state }, name }: { reply: LiveReply; name: string }) => (
  <Reply
    name={name}
    foot={
      state !== 'ended' && (
        <span role="status">{state === 'waiting' ? t('turns.waiting') : t('turns.responding')}</span>
      )
    }
  >
    {text !== '' && <ReplyText text={text} streaming={state === 'streaming'} />}
  </Reply>
)

const Reply = ({ name, foot, children }: { name: string; foot: ReactNode; children: ReactNode }) => (
  <article
    aria-label={t('turns.reply', { name })}
    className="flex min-w-0 flex-col gap-2 rounded-2xl border border-line bg-raised p-4"
  >
    <h2 className="truncate text-sm font-medium text-muted">{name}</h2>
    {children}
    <div className="flex min-h-7 items-center justify-between gap-3 text-xs text-muted">{foot}</div>
  </article>
)
