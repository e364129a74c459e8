import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { SwitchField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('organization')

export function SecondFactorSection() {
  const { organization } = useHere()
  const notify = useNotify()
  const change = useChange('PUT /api/org/update', {
    outdates: ['GET /api/org/list'],
    onDone: ({ require_second_factor: isRequired }) =>
      notify(t(isRequired ? 'secondFactor.on' : 'secondFactor.off')),
  })
  const set = (require_second_factor: boolean) =>
    change.mutate({ query: { org_id: organization.id }, body: { require_second_factor } })
  return (
    <Section title={t('secondFactor.title')}>
      <SwitchField
        label={t('secondFactor.label')}
        hint={t('secondFactor.hint')}
        checked={organization.require_second_factor}
        disabled={change.isPending}
        onChange={set}
      />
      {change.error && <Failure error={change.error} />}
    </Section>
  )
}
