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
  const create = useChange('POST /api/org/create_org', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Only once the list knows it: the address of an organization that nobody knows leads nowhere.
    create.mutate(
      { query: { name: name.trim() } },
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
