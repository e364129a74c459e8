import type { ChatMessage, Media } from '@parley/client/schemas'
import { useState, useSyncExternalStore } from 'react'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { earlyEndText } from '../../ui/early-end.ts'
import { failureText } from '../../ui/error-text.ts'
import { Sources } from './citations.tsx'
import { useActions } from './conversation-context.ts'
import { Files } from './files.tsx'
import { thoughtMsOf } from './live-replies.ts'
import type { LiveReply, ReplyState } from './live-reply.ts'
import { MediaMade } from './media.tsx'
import type { MessageRowProps } from './message-row-props.ts'
import { Reasoning } from './reasoning.tsx'
import { ReplyFooter } from './reply-footer.tsx'
import { ToolCalls } from './tool-calls.tsx'

const t = translator('chat')

export function Reply({ message, beside, live, isLast }: MessageRowProps) {
  const state = useLiveState(live)
  const shown = state ? shownOf(message, state) : message
  const isUnderWay = shown.status === 'streaming'
  const [cited, setCited] = useState<number | null>(null)
  const isUnsent = live?.isUnsent === true && state?.isLost === true
  const isSilent =
    isUnderWay &&
    !isUnsent &&
    shown.content === '' &&
    !shown.reasoning &&
    shown.tool_calls.length === 0 &&
    !state?.media
  return (
    <article aria-label={t('reply.label')} aria-busy={isUnderWay} className="flex min-w-0 flex-col gap-2">
      <Author message={message} />
      {shown.reasoning && (
        <Reasoning
          text={shown.reasoning}
          isUnderWay={isUnderWay && shown.content === ''}
          thoughtMs={state ? state.thoughtMs : thoughtMsOf(message.id)}
        />
      )}
      {shown.tool_calls.length > 0 && <ToolCalls calls={shown.tool_calls} isUnderWay={isUnderWay} />}
      {isSilent && <Waiting />}
      {shown.content !== '' && (
        <ReplyText
          text={shown.content}
          streaming={isUnderWay}
          citations={shown.citations}
          onCitation={setCited}
        />
      )}
      {shown.file_uploads.length > 0 && <Files files={shown.file_uploads} />}
      <MediaMade media={shown.media} progress={isUnderWay ? (state?.media ?? null) : null} />
      {shown.citations.length > 0 && <Sources citations={shown.citations} open={cited} onOpen={setCited} />}
      {isUnsent ? (
        <UnsentNotice />
      ) : (
        <Ending message={shown} isLost={state?.isLost ?? false} isLast={isLast} />
      )}
      {!isUnderWay && <ReplyFooter message={shown} beside={beside} />}
    </article>
  )
}

const nothing = () => null
const never = () => () => {}

const useLiveState = (live: LiveReply | null): ReplyState | null =>
  useSyncExternalStore(live?.subscribe ?? never, live?.state ?? nothing)

/** Merges the state of a live reply into its message. */
function shownOf(message: ChatMessage, state: ReplyState): ChatMessage {
  const isWritten = message.status !== 'streaming'
  if (isWritten && state.hasEnded) return message
  return {
    ...message,
    content: state.text,
    reasoning: state.reasoning === '' ? null : state.reasoning,
    status: state.hasEnded ? (state.error === null ? 'complete' : 'error') : 'streaming',
    error: state.error,
    finish_reason: state.hasEnded && state.error === null ? state.finishReason : null,
    citations: state.citations.length > 0 ? state.citations : message.citations,
    tool_calls: state.toolCalls,
    media: mediaOf(state),
    usage: state.usage,
  }
}

const mediaOf = ({ media }: ReplyState): Media[] =>
  media?.status === 'complete' && media.url !== undefined
    ? [{ type: media.type, url: media.url, mime_type: media.mime_type ?? '' }]
    : []

function Author({ message: { agent_id, model_id } }: { message: ChatMessage }) {
  const { models, agents } = useActions()
  const agent = agents.find(({ id }) => id === agent_id)
  const model = models.find(({ id }) => id === model_id)
  const name = agent?.name ?? (agent_id === null ? model?.name : null) ?? t('reply.label')
  return <h3 className="text-sm font-semibold">{name}</h3>
}

const Waiting = () => (
  <p role="status" className="shimmer text-muted">
    {t('reply.thinking')}
  </p>
)

function UnsentNotice() {
  const { stop } = useActions()
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-xl bg-warning-soft px-4 py-3 text-sm">
      <p role="status" className="min-w-0 grow">
        {t('reply.unsent')}
      </p>
      <Button size="small" onClick={stop}>
        {t('reply.takeBack')}
      </Button>
    </div>
  )
}

interface EndingProps {
  message: ChatMessage
  isLost: boolean
  isLast: boolean
}

function Ending({ message, isLost, isLast }: EndingProps) {
  const { regenerate, mayWrite } = useActions()
  if (isLost)
    return (
      <p role="status" className="text-sm text-muted">
        {t('reply.reconnecting')}
      </p>
    )
  if (message.status === 'stopped')
    return (
      <p>
        <Badge tone="warning">{t('reply.stopped')}</Badge>
      </p>
    )
  if (message.status === 'complete') return <EarlyEnd message={message} isLast={isLast} />
  if (message.status !== 'error') return null
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-xl bg-danger-soft px-4 py-3">
      <p className="min-w-0 grow text-danger wrap-anywhere">
        {failureText(message.error ?? t('reply.failed'), message.error_code, message.error_values)}
      </p>
      {mayWrite && (
        <Button size="small" onClick={() => regenerate(message)}>
          {t('reply.retry')}
        </Button>
      )}
    </div>
  )
}

/** Tells that the model or its provider ended a reply early. The last reply can be continued. */
function EarlyEnd({ message, isLast }: { message: ChatMessage; isLast: boolean }) {
  const { proceed, mayWrite } = useActions()
  const sentence = earlyEndText(message.finish_reason)
  if (sentence === null) return null
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm text-muted">
      <p>{sentence}</p>
      {message.finish_reason === 'length' && isLast && mayWrite && (
        <Button size="small" onClick={() => proceed(message)}>
          {t('reply.continue')}
        </Button>
      )}
    </div>
  )
}
