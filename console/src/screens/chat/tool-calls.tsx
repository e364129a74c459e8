import type { ToolCall } from '@parley/client/schemas'
import { CallLine } from '../../ui/call-line.tsx'

/** What a reply has called, in the order of their beginning. */
export const ToolCalls = ({ calls, isUnderWay }: { calls: readonly ToolCall[]; isUnderWay: boolean }) => (
  <ul aria-label="Tools" className="flex flex-col gap-1.5">
    {calls.map((call) => (
      <li key={call.id}>
        <CallLine call={call} isOver={!isUnderWay} />
      </li>
    ))}
  </ul>
)
