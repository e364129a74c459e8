import type { ToolTestResult } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { CallLine } from '../../ui/call-line.tsx'
import { formatDuration } from '../../ui/format.ts'

const t = translator('tools')

export const TestResult = ({ result }: { result: ToolTestResult }) => (
  <div role="status" aria-label={t('test.result')} className="flex flex-col gap-2">
    {result.tool_calls.length === 0 && <p className="text-sm text-muted">{t('test.notCalled')}</p>}
    {result.tool_calls.map((call, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a result never change
      <div key={place} className="flex flex-col gap-1">
        <CallLine call={call} isOver open />
        <p className="text-right text-sm text-muted">{formatDuration(call.execution_time * 1000)}</p>
      </div>
    ))}
  </div>
)
