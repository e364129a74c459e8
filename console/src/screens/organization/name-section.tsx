import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatDate } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

export function NameSection() {
  const { organization, may } = useHere()
  return (
    <Section
      title="Organization"
      description={`${organization.is_personal ? 'Your personal organization' : 'A team organization'}, made on ${formatDate(organization.created_at)}. Your role here is ${organization.user_role.role_name}.`}
    >
      {may('organization:write') && <NameForm key={organization.id} />}
      <div className="flex min-w-0 items-center gap-2 text-sm">
        <span className="shrink-0 text-muted">ID</span>
        <code className="min-w-0 font-mono break-all">{organization.id}</code>
        <CopyButton text={organization.id} what="Copy the ID" />
      </div>
    </Section>
  )
}

function NameForm() {
  const { organization } = useHere()
  const notify = useNotify()
  const [name, setName] = useState(organization.name)
  const rename = useChange('PUT /api/org/update', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
    onDone: (renamed) => notify(`It is called ${renamed.name} now`),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate({ query: { org_id: organization.id }, body: { name } })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow basis-60">
          <TextField
            label="Name"
            required
            maxLength={100}
            pattern=".*\S.*"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <Button type="submit" busy={rename.isPending} disabled={name === organization.name}>
          Rename
        </Button>
      </div>
      {rename.error && <Failure error={rename.error} />}
    </form>
  )
}
