import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatCredits } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'

const t = translator('account')

export function NewOrganization() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [credits, setCredits] = useState('')
  const available = useAvailable()
  const create = useChange('POST /api/org/create_org', {
    outdates: ['GET /api/org/list', 'GET /api/users/me', 'GET /api/billing/balance'],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // `mutate` calls `onSuccess` after the organization list is refetched. The new organization's URL works only
    // then.
    create.mutate(
      { query: { name: name.trim(), ...(credits !== '' && { credits: Number(credits) }) } },
      { onSuccess: ({ id }) => void navigate({ to: '/', search: { org_id: id } }) },
    )
  }
  return (
    <Page title={t('organization.title')} description={t('organization.description')}>
      <form onSubmit={submit} className="flex max-w-md flex-col gap-4">
        <TextField
          label={t('organization.name')}
          placeholder={t('organization.example')}
          required
          maxLength={100}
          pattern=".*\S.*"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={t('organization.credits')}
          hint={
            available === undefined
              ? t('organization.creditsHint')
              : t('organization.creditsHintAvailable', { credits: formatCredits(available) })
          }
          type="number"
          min={0}
          max={1e15}
          step="any"
          value={credits}
          onChange={({ target }) => setCredits(target.value)}
        />
        {create.error && <Failure error={create.error} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" kind="primary" busy={create.isPending}>
            {t('organization.create')}
          </Button>
          <Button onClick={() => history.back()}>{t('organization.cancel')}</Button>
        </div>
      </form>
    </Page>
  )
}

/** Returns the available credits of the user's personal organization. Returns undefined while loading. */
function useAvailable(): number | undefined {
  const id = useHere().organizations.find(({ is_personal }) => is_personal)?.id
  const balance = useQuery({
    ...read('GET /api/billing/balance', { org_id: id ?? '' }),
    enabled: id !== undefined,
  })
  return balance.data?.available
}
