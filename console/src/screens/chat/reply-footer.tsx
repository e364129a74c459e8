import type { ChatMessage } from '@parley/client/schemas'
import { RefreshCw, Shuffle } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { formatCredits, formatNumber } from '../../ui/format.ts'
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx'
import { BranchArrows } from './branch-arrows.tsx'
import { useActions } from './conversation-context.ts'

/** What a reply has cost, and what can be done with it. */
export function ReplyFooter({ message, beside }: { message: ChatMessage; beside: readonly ChatMessage[] }) {
  const { regenerate, mayWrite } = useActions()
  return (
    <div className="-ml-1.5 flex flex-wrap items-center gap-0.5">
      <BranchArrows message={message} beside={beside} />
      {message.content !== '' && <CopyButton text={message.content} what="Copy the reply" />}
      {mayWrite && (
        <>
          <IconButton small icon={RefreshCw} label="Answer again" onClick={() => regenerate(message)} />
          <OtherModels message={message} />
        </>
      )}
      {message.usage && <Cost usage={message.usage} />}
    </div>
  )
}

function OtherModels({ message }: { message: ChatMessage }) {
  const { regenerate, models, agents } = useActions()
  return (
    <Menu align="start" trigger={<IconButton small icon={Shuffle} label="Answer again with…" />}>
      <MenuLabel>Answer again with</MenuLabel>
      {models.map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => regenerate(message, `model ${id}`)}>
          {name}
        </MenuItem>
      ))}
      {agents.length > 0 && <MenuLabel>Agents</MenuLabel>}
      {agents.map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => regenerate(message, `agent ${id}`)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  )
}

function Cost({ usage }: { usage: NonNullable<ChatMessage['usage']> }) {
  const tokens = usage.input_tokens + usage.output_tokens
  return (
    <span
      className="ml-1.5 text-xs text-muted"
      title={`${formatNumber(usage.input_tokens)} tokens in, ${formatNumber(usage.output_tokens)} out`}
    >
      {formatNumber(tokens)} tokens{usage.credits !== null && ` · ${formatCredits(usage.credits)} credits`}
    </span>
  )
}
