import type { ListedOrganization } from '@parley/client/schemas'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatDate } from '../../ui/format.ts'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('admin')

const OUTDATED = ['GET /api/org/list_all', 'GET /api/org/list'] as const

/** Suspends an organization with a reason, or lifts its suspension. */
export function SuspensionForm({ organization }: { organization: ListedOrganization }) {
  const { id: org_id, name, suspension } = organization
  const notify = useNotify()
  const [reason, setReason] = useState('')
  const suspend = useChange('POST /api/org/suspend', {
    outdates: [...OUTDATED],
    onDone: () => {
      notify(t('suspension.done', { organization: name }))
      setReason('')
    },
  })
  const lift = useChange('POST /api/org/lift_suspension', {
    outdates: [...OUTDATED],
    onDone: () => notify(t('suspension.lifted', { organization: name })),
  })
  if (suspension)
    return (
      <>
        <p className="text-sm wrap-anywhere">
          {t('suspension.since', { date: formatDate(suspension.suspended_at), reason: suspension.reason })}
        </p>
        {lift.error && <Failure error={lift.error} />}
        <Button busy={lift.isPending} onClick={() => lift.mutate({ query: { org_id } })} className="self-end">
          {t('suspension.lift')}
        </Button>
      </>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    suspend.mutate({ query: { org_id }, body: { reason } })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('suspension.effect')}</p>
      <TextField
        label={t('suspension.reason')}
        placeholder={t('suspension.example')}
        required
        maxLength={500}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      {suspend.error && <Failure error={suspend.error} />}
      <Button type="submit" kind="danger" busy={suspend.isPending} className="self-end">
        {t('suspension.action')}
      </Button>
    </form>
  )
}
