import type { Body } from '@parley/client'
import type { Features } from '@parley/client/schemas'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('admin')

const MIB = 1024 ** 2

/** The values of the form's fields as typed. */
interface Draft {
  daily: 'none' | 'limit'
  daily_chat_limit: string
  storage_mib: string
  chat_uploads: string
  mcp_sessions: string
  team_members: 'on' | 'off'
}

/** A form for an organization's limits. */
export function FeaturesForm({ org_id, features }: { org_id: string; features: Features }) {
  const notify = useNotify()
  const [draft, setDraft] = useState(() => draftOf(features))
  const save = useChange('PUT /api/org/features', {
    outdates: ['GET /api/org/list_all', 'GET /api/org/features'],
    onDone: (now) => {
      notify(t('features.saved'))
      setDraft(draftOf(now))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ query: { org_id }, body: changeOf(draft) })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <DailyFields draft={draft} onDraft={(change) => setDraft({ ...draft, ...change })} />
        <NumberFields draft={draft} onDraft={(change) => setDraft({ ...draft, ...change })} />
        <SelectField
          label={t('features.adding')}
          value={draft.team_members}
          onChange={({ target }) =>
            setDraft({ ...draft, team_members: target.value as Draft['team_members'] })
          }
        >
          <option value="on">{t('features.on')}</option>
          <option value="off">{t('features.off')}</option>
        </SelectField>
      </div>
      {save.error && <Failure error={save.error} />}
      <Button type="submit" kind="primary" busy={save.isPending} className="self-end">
        {t('features.save')}
      </Button>
    </form>
  )
}

interface FieldsProps {
  draft: Draft
  onDraft: (change: Partial<Draft>) => void
}

const DailyFields = ({ draft, onDraft }: FieldsProps) => (
  <div className="grid grid-cols-2 gap-4">
    <SelectField
      label={t('features.daily')}
      value={draft.daily}
      onChange={({ target }) => onDraft({ daily: target.value as Draft['daily'] })}
    >
      <option value="none">{t('features.none')}</option>
      <option value="limit">{t('features.limited')}</option>
    </SelectField>
    <TextField
      label={t('features.limit')}
      type="number"
      min={0}
      max={1e9}
      disabled={draft.daily !== 'limit'}
      required={draft.daily === 'limit'}
      value={draft.daily_chat_limit}
      onChange={({ target }) => onDraft({ daily_chat_limit: target.value })}
    />
  </div>
)

const NUMBERS = [
  ['storage_mib', 9e8],
  ['chat_uploads', 1e6],
  ['mcp_sessions', 1e6],
] as const

const NumberFields = ({ draft, onDraft }: FieldsProps) =>
  NUMBERS.map(([name, max]) => (
    <TextField
      key={name}
      label={t(`features.${name}`)}
      type="number"
      required
      min={0}
      max={max}
      step={name === 'storage_mib' ? 'any' : 1}
      value={draft[name]}
      onChange={({ target }) => onDraft({ [name]: target.value })}
    />
  ))

const draftOf = (features: Features): Draft => ({
  daily: features.daily_chat_limit === null ? 'none' : 'limit',
  daily_chat_limit: features.daily_chat_limit?.toString() ?? '',
  storage_mib: String(features.file_upload / MIB),
  chat_uploads: String(features.chat_uploads),
  mcp_sessions: String(features.mcp_sessions),
  team_members: features.team_members ? 'on' : 'off',
})

const changeOf = (draft: Draft): Body<'PUT /api/org/features'> => ({
  daily_chat_limit: draft.daily === 'none' ? null : Number(draft.daily_chat_limit),
  file_upload: Math.round(Number(draft.storage_mib) * MIB),
  chat_uploads: Number(draft.chat_uploads),
  mcp_sessions: Number(draft.mcp_sessions),
  team_members: draft.team_members === 'on',
})
