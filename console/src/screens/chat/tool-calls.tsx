import type { ToolCall } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { CallLine } from '../../ui/call-line.tsx'

const t = translator('chat')

/** A reply's tool calls, in the order in which they started. */
export const ToolCalls = ({ calls, isUnderWay }: { calls: readonly ToolCall[]; isUnderWay: boolean }) => (
  <ul aria-label={t('reply.tools')} className="flex flex-col gap-1.5">
    {calls.map((call) => (
      <li key={call.id}>
        <CallLine call={call} isOver={!isUnderWay} />
      </li>
    ))}
  </ul>
)
