import { Failure } from '../../ui/states.tsx'
import { useModels } from './use-models.ts'
import type { Refusal } from './use-round.ts'

/** Why models were not asked: once where it is the same for all. */
export function Refusals({ refusals }: { refusals: readonly Refusal[] }) {
  const { nameOf } = useModels()
  const reasons = [...new Set(refusals.map(({ error }) => error.message))]
  return reasons.map((reason) => {
    const names = refusals
      .filter(({ error }) => error.message === reason)
      .map(({ modelId }) => nameOf(modelId))
    return <Failure key={reason} error={new Error(`${names.join(', ')}: ${reason}`)} />
  })
}
