import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'

export function NewOrganization() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [credits, setCredits] = useState('')
  const create = useChange('POST /api/org/create_org', {
    outdates: ['GET /api/org/list', 'GET /api/users/me', 'GET /api/billing/balance'],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Only once the list knows it: the address of an organization that nobody knows leads nowhere.
    create.mutate(
      { query: { name: name.trim(), ...(credits !== '' && { credits: Number(credits) }) } },
      { onSuccess: ({ id }) => void navigate({ to: '/', search: { org_id: id } }) },
    )
  }
  return (
    <Page
      title="New organization"
      description="A place for a team: its agents, knowledge, models and credits are its own. You are its owner, and invite the others."
    >
      <form onSubmit={submit} className="flex max-w-md flex-col gap-4">
        <TextField
          label="Name"
          placeholder="Acme"
          required
          maxLength={100}
          pattern=".*\S.*"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label="Credits"
          hint="Moved from your personal organization. A new organization has none of its own."
          type="number"
          min={0}
          max={1e15}
          step="any"
          value={credits}
          onChange={({ target }) => setCredits(target.value)}
        />
        {create.error && <Failure error={create.error} />}
        <div className="flex gap-2">
          <Button type="submit" kind="primary" busy={create.isPending}>
            Create the organization
          </Button>
          <Button onClick={() => history.back()}>Cancel</Button>
        </div>
      </form>
    </Page>
  )
}
