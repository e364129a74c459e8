import type { Balance } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCredits } from '../../ui/format.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { Stats } from '../../ui/stats.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { TransferDialog, useOtherOwned } from './transfer-dialog.tsx'

/** The credits of the organization, with a warning where they run out. */
export function CreditsLine() {
  const { organization, may } = useHere()
  const balance = useQuery(read('GET /api/billing/balance', { org_id: organization.id }))
  const [isSetting, setSetting] = useState(false)
  const [isTransferring, setTransferring] = useState(false)
  const mayTransfer = useOtherOwned().length > 0 && may('organization:delete')
  return (
    <Loaded query={balance} skeleton={<Skeleton className="h-24" />}>
      {(credits) => (
        <div className="flex flex-col gap-3">
          <Stats
            label="Credits"
            stats={[
              ['Available', formatCredits(credits.available), 'credits that can be spent'],
              ['Balance', formatCredits(credits.balance), 'credits in all'],
              ['Held', formatCredits(credits.held), 'for replies under way'],
            ]}
          />
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
            <span>
              One credit is one token, times the price of its model. Below{' '}
              {formatCredits(credits.credits_low_threshold)} credits there is a warning.
            </span>
            {may('organization:admin') && (
              <Button size="small" onClick={() => setSetting(true)}>
                Change warning
              </Button>
            )}
            {mayTransfer && (
              <Button size="small" onClick={() => setTransferring(true)}>
                Transfer credits
              </Button>
            )}
          </p>
          <Warning credits={credits} onTransfer={mayTransfer ? () => setTransferring(true) : null} />
          {isSetting && <ThresholdDialog credits={credits} onClose={() => setSetting(false)} />}
          {isTransferring && <TransferDialog onClose={() => setTransferring(false)} />}
        </div>
      )}
    </Loaded>
  )
}

function Warning({
  credits: { available, balance, credits_low_threshold },
  onTransfer,
}: {
  credits: Balance
  /** Null for members who own no other organization. */
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
        {isOut ? 'No credits left. Messages are refused. ' : 'Credits are running low. '}
        {onTransfer
          ? 'Transfer credits from another organization that you own, or ask the administrator for more.'
          : 'Ask the administrator of this installation for more.'}
      </span>
    </p>
  )
}

function ThresholdDialog({ credits, onClose }: { credits: Balance; onClose: () => void }) {
  const { organization } = useHere()
  const notify = useNotify()
  const [threshold, setThreshold] = useState(String(credits.credits_low_threshold))
  const save = useChange('PUT /api/billing/settings', {
    outdates: ['GET /api/billing/balance'],
    onDone: () => {
      notify('Saved')
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
      title="Warning of low credits"
      description="When the balance falls below this, a warning is shown here, and webhooks are told billing.credits_low."
      action="Save"
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
    >
      <TextField
        label="Credits"
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
