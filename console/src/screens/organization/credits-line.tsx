import type { Balance } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCredits } from '../../ui/format.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { Stats } from '../../ui/stats.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { TransferDialog, useOtherOwned } from './transfer-dialog.tsx'

const t = translator('billing')

export function CreditsLine() {
  const { organization } = useHere()
  const balance = useQuery(read('GET /api/billing/balance', { org_id: organization.id }))
  return (
    <Loaded query={balance} skeleton={<Credits />}>
      {(credits) => <Credits credits={credits} />}
    </Loaded>
  )
}

/** The key figures and the warning threshold, with placeholders for the numbers while `credits` are loading. */
function Credits({ credits }: { credits?: Balance }) {
  const { may } = useHere()
  const [isSetting, setSetting] = useState(false)
  const [isTransferring, setTransferring] = useState(false)
  const mayTransfer = useOtherOwned().length > 0 && may('organization:delete')
  return (
    <div className="flex flex-col gap-3">
      <Stats
        label={t('credits.title')}
        stats={[
          [t('credits.available'), amount(credits?.available), t('credits.availableNote')],
          [t('credits.balance'), amount(credits?.balance), t('credits.balanceNote')],
          [t('credits.reserved'), amount(credits?.held), t('credits.reservedNote')],
        ]}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="min-w-60 flex-1 text-sm text-muted">
          {t('credits.price')}{' '}
          {t('credits.threshold', {
            credits: credits ? formatCredits(credits.credits_low_threshold) : '…',
          })}
        </p>
        <div className="flex flex-wrap gap-2">
          {may('organization:admin') && (
            <Button size="small" disabled={!credits} onClick={() => setSetting(true)}>
              {t('credits.editThreshold')}
            </Button>
          )}
          {mayTransfer && (
            <Button size="small" disabled={!credits} onClick={() => setTransferring(true)}>
              {t('credits.transfer')}
            </Button>
          )}
        </div>
      </div>
      {credits && (
        <>
          <Warning credits={credits} onTransfer={mayTransfer ? () => setTransferring(true) : null} />
          {isSetting && <ThresholdDialog credits={credits} onClose={() => setSetting(false)} />}
        </>
      )}
      {isTransferring && <TransferDialog onClose={() => setTransferring(false)} />}
    </div>
  )
}

const amount = (credits: number | undefined) =>
  credits === undefined ? <Skeleton className="inline-block h-[0.75em] w-24" /> : formatCredits(credits)

function Warning({
  credits: { available, balance, credits_low_threshold },
  onTransfer,
}: {
  credits: Balance
  /** Opens the transfer dialog. Null if the user owns no other organization. */
  onTransfer: (() => void) | null
}) {
  if (balance >= credits_low_threshold && available >= 1) return null
  const isOut = available < 1
  return (
    <p
      role="status"
      className={`flex items-start gap-2.5 rounded-xl px-4 py-3 text-sm ${
        isOut ? 'bg-danger-soft text-danger' : 'bg-warning-soft text-warning'
      }`}
    >
      <TriangleAlert aria-hidden size={17} className="mt-0.5 shrink-0" />
      <span>
        {onTransfer
          ? t(isOut ? 'warning.outTransfer' : 'warning.lowTransfer')
          : t(isOut ? 'warning.out' : 'warning.low')}
      </span>
    </p>
  )
}

function ThresholdDialog({ credits, onClose }: { credits: Balance; onClose: () => void }) {
  const { organization } = useHere()
  const notify = useNotify()
  const [threshold, setThreshold] = useState(String(credits.credits_low_threshold))
  const save = useChange('PUT /api/billing/update_settings', {
    outdates: ['GET /api/billing/balance'],
    onDone: () => {
      notify(t('threshold.saved'))
      onClose()
    },
  })
  const submit = () => {
    save.mutate({ query: { org_id: organization.id }, body: { credits_low_threshold: Number(threshold) } })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('threshold.title')}
      description={t('threshold.description')}
      action={t('threshold.save')}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
    >
      <TextField
        label={t('threshold.credits')}
        type="number"
        required
        min={0}
        max={1e15}
        step="any"
        value={threshold}
        onChange={({ target }) => setThreshold(target.value)}
      />
    </FormDialog>
  )
}
