import type { ApiKey } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { readPages, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { formatDate } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { permissionsInWords } from '../../ui/permission-matrix.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useMemberNames } from '../people/member-names.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { NotAllowed } from './not-allowed.tsx'

const t = translator('apiKeys')

export function ApiKeys() {
  const { may } = useHere()
  const [isCreating, setCreating] = useState(false)
  const isAllowed = may('organization:admin')
  const add = isAllowed && (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  )
  return (
    <Page title={t('title')} description={t('description')} actions={add}>
      {isAllowed ? <Keys add={add} /> : <NotAllowed permission="organization:admin" />}
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}

function Keys({ add }: { add: React.ReactNode }) {
  const { organization } = useHere()
  const { nameOf } = useMemberNames()
  const { q = '' } = useSearch({ from: '/app/api_keys' })
  const keys = useInfiniteQuery({
    ...readPages('GET /api/api_keys/list', { org_id: organization.id, ...(q && { q }), limit: 50 }),
    placeholderData: keepPreviousData,
  })
  return (
    <SearchedList
      query={keys}
      q={q}
      label={t('search')}
      skeleton={<TableSkeleton columns={5} />}
      empty={
        <Empty icon={KeyRound} title={t('empty')} action={add}>
          {t('emptyHint')}
        </Empty>
      }
    >
      {(list) => (
        <Table
          label={t('title')}
          rows={list}
          keyOf={({ id }) => id}
          columns={[
            { header: t('key'), cell: (key) => <KeyName apiKey={key} /> },
            {
              header: t('member'),
              cell: ({ user_id }) => (
                <span className="block min-w-24">{nameOf(user_id) ?? t('unknownMember')}</span>
              ),
              wideOnly: true,
            },
            {
              header: t('permissions'),
              cell: (key) => <Permissions names={key.permissions} />,
              wideOnly: true,
            },
            {
              header: t('lastUsed'),
              cell: ({ last_used_at }) => (last_used_at ? <Ago time={last_used_at} /> : t('neverUsed')),
            },
            {
              header: t('actions'),
              hideHeader: true,
              numeric: true,
              cell: (key) => <DeleteKey apiKey={key} />,
            },
          ]}
        />
      )}
    </SearchedList>
  )
}

const KeyName = ({ apiKey: { name, prefix, expires_at } }: { apiKey: ApiKey }) => (
  <div className="flex flex-col">
    <span className="font-medium wrap-anywhere">{name}</span>
    <span className="flex flex-wrap items-center gap-2 text-muted">
      <code className="font-mono text-xs">{prefix}…</code>
      {expires_at && <Expiry time={expires_at} />}
    </span>
  </div>
)

const Expiry = ({ time }: { time: string }) =>
  new Date(time).getTime() <= Date.now() ? (
    <Badge tone="danger">{t('expired')}</Badge>
  ) : (
    <span className="text-xs">{t('expires', { date: formatDate(time) })}</span>
  )

const Permissions = ({ names }: { names: string[] }) => (
  <span title={names.join(' ')} className="line-clamp-2 text-muted">
    {permissionsInWords(names)}
  </span>
)

function DeleteKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const confirm = useConfirm()
  const notify = useNotify()
  const removal = useChange('DELETE /api/api_keys/delete', {
    outdates: ['GET /api/api_keys/list', 'GET /api/billing/budgets/list'],
    onDone: () => notify(t('deleted', { name })),
  })
  const remove = async () => {
    const isSure = await confirm({
      title: t('deleteTitle', { name }),
      consequence: t('deleteConsequence'),
      action: t('deleteAction'),
    })
    if (isSure) removal.mutate({ query: { api_key_id: id } }, { onError: notify })
  }
  return (
    <IconButton
      small
      icon={Trash2}
      label={t('delete', { name })}
      disabled={removal.isPending}
      onClick={() => void remove()}
    />
  )
}
