import type { Budget } from '@parley/client/schemas'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useMemberNames } from '../people/member-names.ts'
import { useKeyNames } from './key-names.ts'
import { useSubjectName } from './subject-name.ts'

const t = translator('billing')

/** Adds a budget or changes a budget's amount. The budget's member or API key cannot be changed. */
export function BudgetDialog({ budget, onClose }: { budget: Budget | null; onClose: () => void }) {
  const { organization } = useHere()
  const notify = useNotify()
  const nameOf = useSubjectName()
  const [subject, setSubject] = useState('')
  const [credits, setCredits] = useState(budget ? String(budget.credits_per_month) : '')
  const save = useChange('PUT /api/billing/budgets/set', {
    outdates: ['GET /api/billing/budgets/list'],
    onDone: (set) => {
      notify(t('budget.saved', { name: nameOf(set) }))
      onClose()
    },
  })
  const submit = () => {
    const [kind, id] = subject.split(' ')
    const chosen = budget ?? { user_id: kind === 'user' ? id : null, api_key_id: kind === 'key' ? id : null }
    save.mutate({
      query: { org_id: organization.id },
      body: {
        user_id: chosen.user_id ?? undefined,
        api_key_id: chosen.api_key_id ?? undefined,
        credits_per_month: Number(credits),
      },
    })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={budget ? t('budget.title', { name: nameOf(budget) }) : t('budget.new')}
      description={t('budget.description')}
      action={t('budget.save')}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
    >
      {!budget && <SubjectField value={subject} onChange={setSubject} />}
      <TextField
        label={t('budget.credits')}
        type="number"
        required
        min={0}
        max={1e15}
        step="any"
        value={credits}
        onChange={({ target }) => setCredits(target.value)}
      />
    </FormDialog>
  )
}

function SubjectField({ value, onChange }: { value: string; onChange: (subject: string) => void }) {
  const { members } = useMemberNames()
  const { keys } = useKeyNames()
  return (
    <SelectField
      label={t('budget.subject')}
      hint={t('budget.subjectHint')}
      required
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{t('budget.choose')}</option>
      <optgroup label={t('budget.members')}>
        {members.map(({ id, name, email }) => (
          <option key={id} value={`user ${id}`}>
            {t('budget.member', { name, email })}
          </option>
        ))}
      </optgroup>
      {keys.length > 0 && (
        <optgroup label={t('budget.keys')}>
          {keys.map(({ id, name }) => (
            <option key={id} value={`key ${id}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </SelectField>
  )
}
