import type { ApiKey } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { readPages, useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { formatDate } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded, More } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useMemberNames } from '../people/member-names.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { NotAllowed } from './not-allowed.tsx'

export function ApiKeys() {
  const { may } = useHere()
  const [isCreating, setCreating] = useState(false)
  const isAllowed = may('organization:admin')
  const add = isAllowed && (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      Create key
    </Button>
  )
  return (
    <Page
      title="API keys"
      description="With a key a program acts for you in this organization, by the API of this server."
      actions={add}
    >
      {isAllowed ? <Keys add={add} /> : <NotAllowed needs="organization:admin" />}
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}

function Keys({ add }: { add: React.ReactNode }) {
  const { organization } = useHere()
  const { nameOf } = useMemberNames()
  const keys = useInfiniteQuery(readPages('GET /api/api_keys/list', { org_id: organization.id, limit: 50 }))
  return (
    <Loaded query={keys}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon={KeyRound} title="No API keys yet" action={add}>
            Make one for each program, with no more than what it needs: a key that is lost is deleted alone.
          </Empty>
        ) : (
          <>
            <Table
              label="API keys"
              rows={list}
              keyOf={({ id }) => id}
              columns={[
                { header: 'Key', cell: (key) => <KeyName apiKey={key} /> },
                { header: 'Acts for', cell: ({ user_id }) => nameOf(user_id) ?? 'A member', wideOnly: true },
                { header: 'May', cell: (key) => <Permissions names={key.permissions} />, wideOnly: true },
                {
                  header: 'Last used',
                  cell: ({ last_used_at }) => (last_used_at ? <Ago time={last_used_at} /> : 'Never'),
                },
                {
                  header: 'Actions',
                  hideHeader: true,
                  numeric: true,
                  cell: (key) => <DeleteKey apiKey={key} />,
                },
              ]}
            />
            <More query={keys} />
          </>
        )
      }
    </Loaded>
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
    <Badge tone="danger">Expired</Badge>
  ) : (
    <span className="text-xs">until {formatDate(time)}</span>
  )

const SHOWN_MAX = 3

const Permissions = ({ names }: { names: string[] }) => (
  <span title={names.join(' ')} className="font-mono text-xs text-muted">
    {names.slice(0, SHOWN_MAX).join(' ')}
    {names.length > SHOWN_MAX && ` and ${names.length - SHOWN_MAX} more`}
  </span>
)

function DeleteKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const confirm = useConfirm()
  const notify = useNotify()
  const removal = useChange('DELETE /api/api_keys/delete', {
    outdates: ['GET /api/api_keys/list', 'GET /api/billing/budgets'],
    onDone: () => notify(`The key ${name} is deleted`),
  })
  const remove = async () => {
    const consequence = 'Programs that use it are refused at once. This cannot be undone.'
    if (await confirm({ title: `Delete the key ${name}?`, consequence, action: 'Delete' }))
      removal.mutate({ query: { api_key_id: id } }, { onError: notify })
  }
  return (
    <IconButton
      small
      icon={Trash2}
      label={`Delete ${name}`}
      disabled={removal.isPending}
      onClick={() => void remove()}
    />
  )
}
