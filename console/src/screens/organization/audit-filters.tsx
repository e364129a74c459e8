import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { useMemberNames } from '../people/member-names.ts'
import { ACTIONS, actionText, RECORD_TYPES, recordText } from './audit-words.ts'
import type { AuditSearch, ShowAudit } from './search-params.ts'

const t = translator('audit')

interface AuditFiltersProps {
  search: AuditSearch
  show: ShowAudit
  isFiltered: boolean
  /** The name of the record in `search.record_id`, if an entry tells it. */
  recordName: string | null | undefined
  /** A button beside the filters. */
  children: ReactNode
}

const NOTHING: AuditSearch = {
  actor_id: undefined,
  action: undefined,
  record_type: undefined,
  record_id: undefined,
  from: undefined,
  to: undefined,
}

export const AuditFilters = ({ search, show, isFiltered, recordName, children }: AuditFiltersProps) => (
  <search aria-label={t('filters')} className="flex flex-col gap-3">
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-3 2xl:grid-cols-[1fr_1fr_1fr_auto_auto_auto]">
      <MemberField value={search.actor_id} show={show} />
      <SelectField
        label={t('record')}
        value={search.record_type ?? ''}
        onChange={({ target }) => show({ record_type: target.value || undefined, action: undefined })}
      >
        <option value="">{t('all')}</option>
        {RECORD_TYPES.map((type) => (
          <option key={type} value={type}>
            {recordText(type)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t('action')}
        value={search.action ?? ''}
        onChange={({ target }) => show({ action: target.value || undefined })}
      >
        <option value="">{t('all')}</option>
        {ACTIONS.filter((one) => !search.record_type || one.startsWith(`${search.record_type}.`)).map(
          (one) => (
            <option key={one} value={one}>
              {actionText(one)}
            </option>
          ),
        )}
      </SelectField>
      <DayField label={t('from')} value={search.from} onChange={(from) => show({ from })} />
      <DayField label={t('to')} value={search.to} onChange={(to) => show({ to })} />
      {children}
    </div>
    {isFiltered && (
      <div className="flex flex-wrap items-center gap-3">
        {search.record_id && (
          <span className="min-w-0 text-sm break-all text-muted">
            {t('onlyRecord', { name: recordName ?? t('oneRecord') })}
          </span>
        )}
        <Button size="small" icon={X} onClick={() => show(NOTHING)}>
          {t('clear')}
        </Button>
      </div>
    )}
  </search>
)

function MemberField({ value, show }: { value: string | undefined; show: ShowAudit }) {
  const { members, nameOf } = useMemberNames()
  return (
    <SelectField
      label={t('member')}
      value={value ?? ''}
      onChange={({ target }) => show({ actor_id: target.value || undefined })}
    >
      <option value="">{t('allMembers')}</option>
      {members.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {value && nameOf(value) === null && <option value={value}>{t('unknownMember')}</option>}
    </SelectField>
  )
}

interface DayFieldProps {
  label: string
  value: string | undefined
  onChange: (day: string | undefined) => void
}

const DayField = ({ label, value, onChange }: DayFieldProps) => (
  <TextField
    label={label}
    type="date"
    max="9999-12-31"
    value={value ?? ''}
    onChange={({ target }) => onChange(target.value || undefined)}
  />
)
