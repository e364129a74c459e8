import { translator } from '../../messages/index.ts'
import { errorText } from '../../ui/error-text.ts'
import { formatList } from '../../ui/format.ts'
import { Failure } from '../../ui/states.tsx'
import { useModelNames } from './use-models.ts'
import type { Refusal } from './use-round.ts'

const t = translator('conversations')

/** Shows why models refused the question. Models with the same error share one notice. */
export function Refusals({ refusals }: { refusals: readonly Refusal[] }) {
  const nameOf = useModelNames(refusals.map(({ modelId }) => modelId))
  const reasons = [...new Set(refusals.map(({ error }) => errorText(error)))]
  return reasons.map((reason) => {
    const names = refusals
      .filter(({ error }) => errorText(error) === reason)
      .map(({ modelId }) => nameOf(modelId))
    return <Failure key={reason} error={new Error(t('refused', { models: formatList(names), reason }))} />
  })
}
