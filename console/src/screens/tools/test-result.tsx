import type { ToolTestResult } from '@parley/client/schemas'
import { CallLine } from '../../ui/call-line.tsx'

/** What the tool was called with, and what came of it. */
export const TestResult = ({ result }: { result: ToolTestResult }) => (
  <div role="status" aria-label="Result" className="flex flex-col gap-2">
    {result.tool_calls.length === 0 && (
      <p className="text-sm text-muted">The model has not called the tool.</p>
    )}
    {result.tool_calls.map((call, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a result is shown as a whole
      <div key={place} className="flex flex-col gap-1">
        <CallLine call={call} isOver open />
        <p className="text-right text-sm text-muted">{timeOf(call.execution_time)}</p>
      </div>
    ))}
  </div>
)

const timeOf = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
