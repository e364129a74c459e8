import type { Organization } from '@parley/client/schemas'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatDate } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { roleName } from '../../ui/role-name.ts'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('organization')

export function NameSection() {
  const { organization, may } = useHere()
  return (
    <Section
      title={t('about.title')}
      description={t(kindOf(organization), {
        date: formatDate(organization.created_at),
        role: roleName(organization.user_role.role_name),
      })}
    >
      {may('organization:write') && <NameForm key={organization.id} />}
      <div className="flex min-w-0 items-center gap-2 text-sm">
        <span className="shrink-0 text-muted">{t('about.id')}</span>
        <code className="min-w-0 font-mono break-all">{organization.id}</code>
        <CopyButton text={organization.id} what={t('about.copyId')} />
      </div>
    </Section>
  )
}

/** Returns the message for the kind of organization. Only its owner has a personal organization as their own. */
const kindOf = ({ is_personal, user_role }: Organization) => {
  if (!is_personal) return 'about.team'
  return user_role.role_name === 'owner' ? 'about.personal' : 'about.shared'
}

function NameForm() {
  const { organization } = useHere()
  const notify = useNotify()
  const [name, setName] = useState(organization.name)
  const rename = useChange('PUT /api/org/update', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
    onDone: (renamed) => notify(t('about.renamed', { name: renamed.name })),
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
            label={t('about.name')}
            required
            maxLength={100}
            pattern=".*\S.*"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <Button type="submit" busy={rename.isPending} disabled={name === organization.name}>
          {t('about.rename')}
        </Button>
      </div>
      {rename.error && <Failure error={rename.error} />}
    </form>
  )
}
