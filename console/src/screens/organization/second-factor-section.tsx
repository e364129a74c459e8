import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { SwitchField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

/** For owners. */
export function SecondFactorSection() {
  const { organization } = useHere()
  const notify = useNotify()
  const change = useChange('PUT /api/org/update', {
    outdates: ['GET /api/org/list'],
    onDone: ({ require_second_factor: isRequired }) =>
      notify(isRequired ? 'A second factor is required now' : 'A second factor is no longer required'),
  })
  const set = (require_second_factor: boolean) =>
    change.mutate({ query: { org_id: organization.id }, body: { require_second_factor } })
  return (
    <Section title="Sign-in">
      <SwitchField
        label="Require a second factor"
        hint="Members can’t use this organization until they set up a passkey or an authenticator app. API keys aren’t affected."
        checked={organization.require_second_factor}
        disabled={change.isPending}
        onChange={set}
      />
      {change.error && <Failure error={change.error} />}
    </Section>
  )
}
