import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read, readPages, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCredits } from '../../ui/format.ts'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('billing')

/** Returns the organizations that the user owns, except the current one. */
export function useOtherOwned() {
  const { organization } = useHere()
  const { data = [] } = useInfiniteQuery(readPages('GET /api/org/list', { limit: 100 }))
  return data.filter(({ id, user_role }) => id !== organization.id && user_role.role_name === 'owner')
}

export function TransferDialog({ onClose }: { onClose: () => void }) {
  const { organization } = useHere()
  const notify = useNotify()
  const owned = useOtherOwned()
  const [fromId, setFromId] = useState(owned.find(({ is_personal }) => is_personal)?.id ?? '')
  const [amount, setAmount] = useState('')
  const source = useQuery({
    ...read('GET /api/billing/balance', { org_id: fromId }),
    enabled: fromId !== '',
  }).data
  const transfer = useChange('POST /api/billing/transfer', {
    outdates: ['GET /api/billing/balance', 'GET /api/billing/ledger'],
    onDone: (moved) => {
      notify(
        t('transfer.done', {
          count: moved.amount,
          credits: formatCredits(moved.amount),
          name: organization.name,
        }),
      )
      onClose()
    },
  })
  const submit = () =>
    transfer.mutate({ body: { from_org: fromId, to_org: organization.id, amount: Number(amount) } })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('transfer.title')}
      description={t('transfer.description', { name: organization.name })}
      action={t('transfer.action')}
      busy={transfer.isPending}
      error={transfer.error}
      onSubmit={submit}
    >
      <SelectField
        label={t('transfer.from')}
        required
        value={fromId}
        onChange={({ target }) => setFromId(target.value)}
      >
        <option value="">{t('transfer.choose')}</option>
        {owned.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t('transfer.credits')}
        hint={source && t('transfer.available', { credits: formatCredits(source.available) })}
        type="number"
        required
        min={0.000001}
        max={1e15}
        step="any"
        value={amount}
        onChange={({ target }) => setAmount(target.value)}
      />
    </FormDialog>
  )
}
