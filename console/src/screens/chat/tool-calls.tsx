import { Wrench } from 'lucide-react'
import type { ToolCall } from '../../api/operations.ts'
import { Badge } from '../../ui/badge.tsx'
import { Fold } from './fold.tsx'

/** What a reply has called, in the order of their beginning. */
export const ToolCalls = ({ calls, isUnderWay }: { calls: readonly ToolCall[]; isUnderWay: boolean }) => (
  <ul aria-label="Tools" className="flex flex-col gap-1.5">
    {calls.map((call) => (
      <li key={call.id}>
        <OneCall call={call} isRunning={isUnderWay && call.output === null} />
      </li>
    ))}
  </ul>
)

function OneCall({ call, isRunning }: { call: ToolCall; isRunning: boolean }) {
  const failed = call.successful === false
  return (
    <Fold
      icon={Wrench}
      isBusy={isRunning}
      title={<span className="font-mono">{call.name}</span>}
      note={
        isRunning ? (
          <Badge>Running</Badge>
        ) : failed ? (
          <Badge tone="danger">Failed</Badge>
        ) : call.output === null ? (
          <Badge tone="warning">Not ended</Badge>
        ) : (
          <Badge tone="success">Done</Badge>
        )
      }
    >
      <div className="flex flex-col gap-3">
        <Json title="Arguments" value={call.input} />
        {failed && <p className="text-sm text-danger wrap-anywhere">{call.error ?? 'The tool failed.'}</p>}
        {!failed && call.output !== null && <Json title="Result" value={call.output} />}
      </div>
    </Fold>
  )
}

const Json = ({ title, value }: { title: string; value: unknown }) => (
  <div className="flex min-w-0 flex-col gap-1">
    <p className="text-xs font-medium text-muted">{title}</p>
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      role="group"
      aria-label={title}
      className="max-h-64 overflow-auto rounded-lg bg-canvas p-2.5 font-mono text-xs"
    >
      {JSON.stringify(value, null, 2)}
    </pre>
  </div>
)
