import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('organization')

/** How long the organization stores responses of the OpenAI-compatible API. */
export function ResponsesSection() {
  const { organization } = useHere()
  const notify = useNotify()
  const current = String(organization.response_retention_days)
  const [days, setDays] = useState(current)
  const save = useChange('PUT /api/org/update', {
    outdates: ['GET /api/org/list'],
    onDone: () => notify(t('responses.saved')),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ query: { org_id: organization.id }, body: { response_retention_days: Number(days) } })
  }
  return (
    <Section title={t('responses.title')}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <div className="flex flex-wrap items-start gap-3">
          <div className="min-w-0 grow basis-60">
            <TextField
              label={t('responses.days')}
              hint={t('responses.hint')}
              type="number"
              required
              min={0}
              max={3650}
              step={1}
              value={days}
              onChange={({ target }) => setDays(target.value)}
            />
          </div>
          <Button type="submit" busy={save.isPending} disabled={days === current} className="sm:mt-6.5">
            {t('responses.save')}
          </Button>
        </div>
        {save.error && <Failure error={save.error} />}
      </form>
    </Section>
  )
}
