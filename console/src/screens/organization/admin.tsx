import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatCredits } from '../../ui/format.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { FeaturesForm } from './features-form.tsx'
import { NotAllowed } from './not-allowed.tsx'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** For the administrator of the installation: what organizations have and may use. */
export function Admin() {
  const { user, organization } = useHere()
  const { organization: asked } = useSearch({ from: '/app/admin' })
  const org_id = asked ?? organization.id
  return (
    <Page
      title="Installation"
      description="What an organization has and may use. Prices of models from the environment are set at Models, permissions at Roles."
    >
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
        <NotAllowed needs="system administrator" />
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
    <Section
      title="Organization"
      description={name ?? 'You are no member of it. Its members find its ID in their settings.'}
    >
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow basis-72">
          <TextField
            label="Organization ID"
            required
            pattern="[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}"
            title="As 0195f3c4-8a5e-7cc3-9e0f-3a7d1c2b4e60"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            className="font-mono text-sm"
          />
        </div>
        <Button type="submit" disabled={typed.trim() === org_id}>
          Choose
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
      notify(`${formatCredits(amount)} credits granted. The balance is ${formatCredits(balance_after)}.`)
      setDraft({ amount: '', reason: '' })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    grant.mutate({ body: { organization_id: org_id, amount: Number(draft.amount), reason: draft.reason } })
  }
  return (
    <Section title="Grant credits" description="They are added to what there is.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-[12rem_1fr]">
          <TextField
            label="Credits"
            type="number"
            required
            min={0.000001}
            max={1e15}
            step="any"
            value={draft.amount}
            onChange={({ target }) => setDraft({ ...draft, amount: target.value })}
          />
          <TextField
            label="Reason"
            placeholder="Order 1042"
            required
            maxLength={500}
            value={draft.reason}
            onChange={({ target }) => setDraft({ ...draft, reason: target.value })}
          />
        </div>
        {grant.error && <Failure error={grant.error} />}
        <Button type="submit" kind="primary" busy={grant.isPending} className="self-end">
          Grant credits
        </Button>
      </form>
    </Section>
  )
}

/** What is in force can be read of organizations that one is in. Of others only what is given is changed. */
function Features({ org_id }: { org_id: string }) {
  const { organizations } = useHere()
  const isMember = organizations.some(({ id }) => id === org_id)
  const features = useQuery({ ...read('GET /api/org/features', { org_id }), enabled: isMember })
  return (
    <Section
      title="Features"
      description={
        isMember
          ? 'What the organization may use.'
          : 'What is left empty stays as it is: only members can see what it is now.'
      }
    >
      {isMember ? (
        <Loaded query={features}>{(found) => <FeaturesForm org_id={org_id} features={found} />}</Loaded>
      ) : (
        <FeaturesForm org_id={org_id} features={null} />
      )}
    </Section>
  )
}
