import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatCredits } from '../../ui/format.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { FeaturesForm } from './features-form.tsx'
import { NotAllowed } from './not-allowed.tsx'

const t = translator('organization')

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A page on which system administrators grant credits and set an organization's limits. */
export function Admin() {
  const { user, organization } = useHere()
  const { organization: asked } = useSearch({ from: '/app/admin' })
  const org_id = asked ?? organization.id
  return (
    <Page title={t('admin.title')} description={t('admin.description')}>
      {user.is_system_admin ? (
        <>
          <Choice key={org_id} org_id={org_id} />
          {UUID.test(org_id) && (
            <>
              <Grant key={`credits ${org_id}`} org_id={org_id} />
              <Features key={`features ${org_id}`} org_id={org_id} />
            </>
          )}
        </>
      ) : (
        <NotAllowed />
      )}
    </Page>
  )
}

function Choice({ org_id }: { org_id: string }) {
  const { organizations } = useHere()
  const navigate = useNavigate({ from: '/admin' })
  const [typed, setTyped] = useState(org_id)
  const name = organizations.find(({ id }) => id === org_id)?.name
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ search: (old) => ({ ...old, organization: typed.trim().toLowerCase() }) })
  }
  return (
    <Section title={t('admin.organization')} description={name ?? t('admin.notMember')}>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow basis-72">
          <TextField
            label={t('admin.id')}
            required
            pattern="[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}"
            title={t('admin.idFormat')}
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            className="font-mono text-sm"
          />
        </div>
        <Button type="submit" disabled={typed.trim() === org_id}>
          {t('admin.choose')}
        </Button>
      </form>
    </Section>
  )
}

function Grant({ org_id }: { org_id: string }) {
  const notify = useNotify()
  const [draft, setDraft] = useState({ amount: '', reason: '' })
  const grant = useChange('POST /api/billing/credits', {
    outdates: ['GET /api/billing/balance', 'GET /api/billing/ledger'],
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
    <Section title={t('grant.title')} description={t('grant.description')}>
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
    </Section>
  )
}

/**
 * A form for an organization's limits. Only members can read the current limits. For other organizations, the fields
 * are blank, and a blank field changes nothing.
 */
function Features({ org_id }: { org_id: string }) {
  const { organizations } = useHere()
  const isMember = organizations.some(({ id }) => id === org_id)
  const features = useQuery({ ...read('GET /api/org/features', { org_id }), enabled: isMember })
  return (
    <Section title={t('features.title')} description={isMember ? undefined : t('features.unknown')}>
      {isMember ? (
        <Loaded query={features}>{(found) => <FeaturesForm org_id={org_id} features={found} />}</Loaded>
      ) : (
        <FeaturesForm org_id={org_id} features={null} />
      )}
    </Section>
  )
}
