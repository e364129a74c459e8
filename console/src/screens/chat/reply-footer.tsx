import type { ChatMessage } from '@parley/client/schemas'
import { RefreshCw, Shuffle } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { formatCredits } from '../../ui/format.ts'
import { Picker } from '../../ui/picker.tsx'
import { useAnswererLists } from './answerers.ts'
import { BranchArrows } from './branch-arrows.tsx'
import { useActions } from './conversation-context.ts'

const t = translator('chat')

export function ReplyFooter({ message, beside }: { message: ChatMessage; beside: readonly ChatMessage[] }) {
  const { regenerate, mayWrite } = useActions()
  return (
    <div className="-ml-1.5 flex flex-wrap items-center gap-0.5">
      <BranchArrows message={message} beside={beside} />
      {message.content !== '' && <CopyButton text={message.content} what={t('reply.copy')} />}
      {mayWrite && (
        <>
          <IconButton
            small
            icon={RefreshCw}
            label={t('reply.regenerate')}
            onClick={() => regenerate(message)}
          />
          <OtherModels message={message} />
        </>
      )}
      {message.usage && <Cost usage={message.usage} />}
    </div>
  )
}

function OtherModels({ message }: { message: ChatMessage }) {
  const { regenerate } = useActions()
  return (
    <Picker
      label={t('reply.regenerateWith')}
      trigger={<IconButton small icon={Shuffle} label={t('reply.regenerateWith')} />}
      lists={useAnswererLists()}
      chosen={[]}
      onChange={([other]) => regenerate(message, other?.id)}
      empty={t('pickers.noAnswerer')}
    />
  )
}

function Cost({ usage }: { usage: NonNullable<ChatMessage['usage']> }) {
  const { input_tokens: input, output_tokens: output, credits } = usage
  const costs = [
    t('usage.tokens', { count: input + output }),
    ...(credits === null ? [] : [t('usage.credits', { count: credits, credits: formatCredits(credits) })]),
  ]
  return (
    <span className="ml-1.5 text-xs text-muted" title={t('usage.inAndOut', { input, output })}>
      {costs.join(' · ')}
    </span>
  )
}
