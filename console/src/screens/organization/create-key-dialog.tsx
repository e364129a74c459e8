import type { CreatedApiKey } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAllPages } from '../../api/all-pages.ts'
import { readPages, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { SecretOnce, Snippet } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PermissionMatrix } from '../../ui/permission-matrix.tsx'

const t = translator('apiKeys')

const DAY_MS = 86_400_000
/** Returns the selectable lifetimes of a key: the number of days and a label. */
const lifetimes = () =>
  [
    ['30', t('form.days', { count: 30 })],
    ['90', t('form.days', { count: 90 })],
    ['365', t('form.year')],
    ['', t('form.never')],
  ] as const

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedApiKey>()
  return created ? (
    <Created created={created} onClose={onClose} />
  ) : (
    <NewKey onClose={onClose} onCreated={setCreated} />
  )
}

const Created = ({ created, onClose }: { created: CreatedApiKey; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    title={t('created.title', { name: created.name })}
    actions={
      <Button kind="primary" onClick={onClose}>
        {t('created.done')}
      </Button>
    }
  >
    <SecretOnce secret={created.key} />
    <p className="text-sm text-muted">{t('created.usage')}</p>
    <Snippet
      label={t('created.example')}
      code={`curl '${location.origin}/api/users/me' \\\n  -H 'X-API-Key: ${created.prefix}…'`}
    />
  </Dialog>
)

interface NewKeyProps {
  onClose: () => void
  onCreated: (key: CreatedApiKey) => void
}

function NewKey({ onClose, onCreated }: NewKeyProps) {
  const { organization, may } = useHere()
  const all = useInfiniteQuery(readPages('GET /api/roles/list_permissions', { limit: 100 }))
  useAllPages(all, true)
  const [draft, setDraft] = useState({ name: '', days: '90', scope: 'all', chosen: [] as string[] })
  const create = useChange('POST /api/api_keys/create', {
    outdates: ['GET /api/api_keys/list'],
    onDone: onCreated,
  })
  const isAll = draft.scope === 'all'
  const submit = () => {
    const expires_at = draft.days && new Date(Date.now() + Number(draft.days) * DAY_MS).toISOString()
    create.mutate({
      query: { org_id: organization.id },
      body: {
        name: draft.name,
        permissions: isAll ? organization.user_role.permissions : draft.chosen,
        ...(expires_at && { expires_at }),
      },
    })
  }
  return (
    <FormDialog
      wide
      open
      onClose={onClose}
      title={t('form.title')}
      action={t('form.create')}
      busy={create.isPending}
      disabled={!isAll && draft.chosen.length === 0}
      error={create.error}
      onSubmit={submit}
    >
      <KeyFields draft={draft} onDraft={(change) => setDraft({ ...draft, ...change })} />
      {!isAll && all.data && (
        <PermissionMatrix
          names={all.data.map(({ name }) => name)}
          chosen={draft.chosen}
          onChange={(chosen) => setDraft({ ...draft, chosen })}
          isAllowed={may}
        />
      )}
    </FormDialog>
  )
}

interface Draft {
  name: string
  /** The lifetime in days. Empty if the key doesn't expire. */
  days: string
  scope: string
}

const KeyFields = ({ draft, onDraft }: { draft: Draft; onDraft: (change: Partial<Draft>) => void }) => (
  <>
    <TextField
      label={t('form.name')}
      hint={t('form.nameHint')}
      placeholder={t('form.nameExample')}
      required
      maxLength={100}
      value={draft.name}
      onChange={({ target }) => onDraft({ name: target.value })}
    />
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t('form.expiration')}
        value={draft.days}
        onChange={({ target }) => onDraft({ days: target.value })}
      >
        {lifetimes().map(([days, text]) => (
          <option key={days} value={days}>
            {text}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t('form.permissions')}
        hint={t('form.permissionsHint')}
        value={draft.scope}
        onChange={({ target }) => onDraft({ scope: target.value })}
      >
        <option value="all">{t('form.same')}</option>
        <option value="some">{t('form.selected')}</option>
      </SelectField>
    </div>
  </>
)
