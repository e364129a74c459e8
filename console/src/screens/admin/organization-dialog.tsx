import type { ListedOrganization } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatCredits, formatDate, formatNumber } from '../../ui/format.ts'
import { Failure, Loaded } from '../../ui/states.tsx'
import { Stats } from '../../ui/stats.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { FeaturesForm } from './features-form.tsx'
import { SuspensionForm } from './suspension-form.tsx'

const t = translator('admin')

/** An organization's usage, with forms that grant credits and set its limits. */
export function OrganizationDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const found = useQuery(read('GET /api/org/list_all', { q: id, limit: 1 }))
  const organization = found.data?.data.find((one) => one.id === id)
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={organization?.name ?? t('organization.title')}
      description={organization && aboutOf(organization)}
    >
      <Loaded query={found}>
        {() =>
          organization ? (
            <Details organization={organization} />
          ) : (
            <p className="text-sm text-muted">{t('organization.gone')}</p>
          )
        }
      </Loaded>
    </Dialog>
  )
}

function aboutOf({ created_at, owner_email, is_personal }: ListedOrganization): string {
  const date = formatDate(created_at)
  if (owner_email === null) return t('organization.created', { date })
  return t(is_personal ? 'organization.personal' : 'organization.owned', { date, owner: owner_email })
}

const Details = ({ organization }: { organization: ListedOrganization }) => (
  <>
    <Stats
      label={t('organization.usage')}
      stats={[
        [t('organizations.members'), formatNumber(organization.members)],
        [t('spent'), formatCredits(organization.credits_this_month)],
        [t('organizations.balance'), formatCredits(organization.balance)],
      ]}
    />
    <section aria-labelledby="grant" className="flex flex-col gap-3">
      <div>
        <h3 id="grant" className="font-semibold">
          {t('grant.title')}
        </h3>
        <p className="text-sm text-muted">{t('grant.description')}</p>
      </div>
      <Grant org_id={organization.id} />
    </section>
    <section aria-labelledby="limits" className="flex flex-col gap-3 border-t border-line pt-4">
      <h3 id="limits" className="font-semibold">
        {t('features.title')}
      </h3>
      <FeaturesForm org_id={organization.id} features={organization.features} />
    </section>
    <section aria-labelledby="suspension" className="flex flex-col gap-3 border-t border-line pt-4">
      <h3 id="suspension" className="font-semibold">
        {t('suspension.title')}
      </h3>
      <SuspensionForm organization={organization} />
    </section>
  </>
)

function Grant({ org_id }: { org_id: string }) {
  const notify = useNotify()
  const [draft, setDraft] = useState({ amount: '', reason: '' })
  const grant = useChange('POST /api/billing/credits', {
    outdates: ['GET /api/org/list_all', 'GET /api/billing/balance', 'GET /api/billing/ledger'],
    onDone: ({ amount, balance_after }) => {
      notify(t('grant.done', { amount: formatCredits(amount), balance: formatCredits(balance_after) }))
      setDraft({ amount: '', reason: '' })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    grant.mutate({ body: { organization_id: org_id, amount: Number(draft.amount), reason: draft.reason } })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-[12rem_1fr]">
        <TextField
          label={t('grant.credits')}
          type="number"
          required
          min={0.000001}
          max={1e15}
          step="any"
          value={draft.amount}
          onChange={({ target }) => setDraft({ ...draft, amount: target.value })}
        />
        <TextField
          label={t('grant.reason')}
          placeholder={t('grant.example')}
          required
          maxLength={500}
          value={draft.reason}
          onChange={({ target }) => setDraft({ ...draft, reason: target.value })}
        />
      </div>
      {grant.error && <Failure error={grant.error} />}
      <Button type="submit" kind="primary" busy={grant.isPending} className="self-end">
        {t('grant.action')}
      </Button>
    </form>
  )
}
